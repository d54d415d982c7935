"""Memory and computing time of server and clients while a class works, once a second."""

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

from benchmarks.sample import Sample
from benchmarks.server import MEGABYTE

EVERY_SECONDS = 1.0
CHILDREN_EVERY = 5  # readings: the kernel counts shared pages for them
MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """One reading.

    Args:
        at: By ``time.perf_counter``.
        web_megabytes: Resident, of the web process.
        children_megabytes: Of workers and sandbox, what they share counted once; None where it
            was not read.
        web_seconds: Computing time of the web process so far.
        children_seconds: Of its children, ended ones included.
        own_seconds: Of the clients.
    """

    at: float
    web_megabytes: float
    children_megabytes: float | None
    web_seconds: float
    children_seconds: float
    own_seconds: float


class ResourceMonitor:
    """Reads in a thread of its own, from ``with`` to its end.

    Args:
        web: The web process.
    """

    def __init__(self, web: psutil.Process) -> None:
        self._web = web
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._read, name="resource_monitor", daemon=True)
        self.readings: list[ResourceUsage] = []

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._is_over.set()
        self._thread.join()

    def between(self, begin: float, end: float) -> "list[ResourceUsage]":
        """The readings of a while."""
        return [each for each in self.readings if begin <= each.at <= end]

    def _read(self) -> None:
        while not self._is_over.wait(EVERY_SECONDS):
            with contextlib.suppress(psutil.Error):
                self.readings.append(self._reading())

    def _reading(self) -> ResourceUsage:
        own, web = time.process_time(), self._web.cpu_times()
        children = self._web.children(recursive=True)
        reads_children = len(self.readings) % CHILDREN_EVERY == 0
        return ResourceUsage(
            at=time.perf_counter(),
            web_megabytes=self._web.memory_info().rss / MEGABYTE,
            children_megabytes=sum(map(proportional, children)) if reads_children else None,
            web_seconds=web.user + web.system,
            children_seconds=sum(map(_seconds, children)),
            own_seconds=own,
        )


def proportional(process: psutil.Process) -> float:
    """The memory of a process in MB; of shared pages, its part."""
    with contextlib.suppress(OSError, ValueError, StopIteration):
        rolled = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
        line = next(each for each in rolled if each.startswith("Pss:"))
        return int(line.split()[1]) * 1024 / MEGABYTE
    with contextlib.suppress(psutil.Error):
        return process.memory_info().rss / MEGABYTE
    return 0.0


def _seconds(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.Error):
        used = process.cpu_times()
        return used.user + used.system + used.children_user + used.children_system
    return 0.0


def cores(readings: list[ResourceUsage], of: Callable[[ResourceUsage], float]) -> float:
    """The number of cores that something kept busy."""
    if len(readings) < 2:
        return 0.0
    first, last = readings[0], readings[-1]
    return max(0.0, of(last) - of(first)) / (last.at - first.at)


def growth_per_minute(readings: list[ResourceUsage]) -> float:
    """The slope of the web process's memory in MB a minute, by least squares.

    >>> def at(minute: float, size: float) -> ResourceUsage:
    ...     return ResourceUsage(minute * 60, size, None, 0.0, 0.0, 0.0)
    >>> growth_per_minute([at(0, 100), at(1, 103), at(2, 106)])
    3.0
    """
    if len(readings) < 2:
        return 0.0
    times, sizes = [each.at for each in readings], [each.web_megabytes for each in readings]
    middle, mean = sum(times) / len(times), sum(sizes) / len(sizes)
    spread = sum((time - middle) ** 2 for time in times)
    along = sum((time - middle) * (size - mean) for time, size in zip(times, sizes, strict=True))
    return along / spread * MINUTE


def web_memory(readings: list[ResourceUsage]) -> Sample:
    """The web process's memory."""
    return Sample.of(each.web_megabytes for each in readings)


def children_memory(readings: list[ResourceUsage]) -> Sample:
    """The memory of workers and sandbox."""
    known = (each.children_megabytes for each in readings)
    return Sample.of(size for size in known if size is not None)
