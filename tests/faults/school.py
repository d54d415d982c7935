"""A hosted server whose parts can be broken, and what it has written down."""

import asyncio
import json
import resource
import signal
import sqlite3
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from benchmarks.class_load import hosted
from benchmarks.server import HOST, MEGABYTE, PLAYGROUND, Server
from tests.faults import shifted_clock
from tests.waiting import wait_until

DEADLINE_SECONDS = 90.0  # of everything that is waited for: a busy computer is no fault
BUSY_SECONDS = 0.2  # of computing, by which a process is known to be at work
SELECT = "SELECT number, lesson, step, said FROM answers ORDER BY number"


class School:
    """The server and its data.

    Args:
        folder: Of the test; the server's data are below it.
    """

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self._away = folder / "away"
        self._clock = folder / "clock"
        self._clock.write_bytes(shifted_clock.OFFSET.pack(0.0))
        self.server = Server(
            PLAYGROUND,
            hosted.settings(self.data, sessions=100),
            (sys.executable, shifted_clock.__file__, str(self._clock)),
        )

    @property
    def port(self) -> int:
        return self.server.port

    @property
    def web(self) -> psutil.Process:
        return self.server.process

    @property
    def megabytes(self) -> float:
        return float(self.web.memory_info().rss) / MEGABYTE

    def answers(self) -> list[tuple[int, str, str, str]]:
        """The answers in the database: number, lesson, step, what was said."""
        with closing(sqlite3.connect(self.data / "progress.sqlite")) as database:
            return list(database.execute(SELECT))

    def metric(self, name: str) -> float:
        """A number that the operator is reported."""
        lines = self._ask_as_operator("/api/metrics").splitlines()
        return next(float(each.split()[1]) for each in lines if each.startswith(f"{name} "))

    def _ask_as_operator(self, path: str) -> str:
        asked = urllib.request.Request(
            f"http://{HOST}:{self.port}{path}",
            headers={"Authorization": f"Bearer {hosted.TOKEN}"},
        )
        with urllib.request.urlopen(asked, timeout=DEADLINE_SECONDS) as answer:
            return str(answer.read().decode())

    def _health(self) -> Any:
        """What the operator is reported: ``parts``, and how much of progress is not written yet."""
        return json.loads(self._ask_as_operator("/api/health"))

    async def has_written_all(self) -> None:
        """Wait until everything that students did is in the database."""

        def is_so() -> bool:
            health = self._health()
            return bool(health["parts"]["database"] == "ok" and health["progress_waiting"] == 0)

        await asyncio.to_thread(wait_until, is_so)

    async def has_lost_database(self) -> None:
        """Wait until the server knows that its database is gone."""
        await asyncio.to_thread(wait_until, lambda: self._health()["parts"]["database"] == "down")

    # -- faults ------------------------------------------------------------------------------

    def child(self, name: str) -> psutil.Process:
        """The jail's ``zygote``, or the ``forkserver`` from which the workers come."""

        def find() -> psutil.Process | None:
            for each in self.web.children():
                with suppress(psutil.Error):  # it has just ended
                    if name in " ".join(each.cmdline()):
                        return each
            return None

        return wait_until(find)

    def busy_below(self, above: psutil.Process) -> psutil.Process:
        """The process below another one that is the first to compute for a while from now on."""
        before: dict[int, float] = {}

        def find() -> psutil.Process | None:
            for each in above.children(recursive=True):
                with suppress(psutil.Error):
                    used = sum(each.cpu_times()[:2])
                    if used - before.setdefault(each.pid, used) > BUSY_SECONDS:
                        return each
            return None

        return wait_until(find)

    @contextmanager
    def without_database(self) -> Iterator[None]:
        """Meanwhile the folder of the data is not there, and cannot be made."""
        self.data.rename(self._away)
        self.data.write_text("not a folder")
        try:
            yield
        finally:
            self.data.unlink()
            self._away.rename(self.data)

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Meanwhile the server can write no byte into any file."""
        before = resource.prlimit(self.web.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.web.pid, resource.RLIMIT_FSIZE, (0, before[1]))
        try:
            yield
        finally:
            resource.prlimit(self.web.pid, resource.RLIMIT_FSIZE, before)

    @contextmanager
    def clock_off_by(self, seconds: float) -> Iterator[None]:
        """Meanwhile the server's clock shows another time; it jumps there, and back."""
        shifted_clock.shift(self._clock, seconds)
        try:
            yield
        finally:
            shifted_clock.shift(self._clock, 0.0)


def kill(process: psutil.Process) -> None:
    """End a process as a lack of memory does: at once."""
    process.send_signal(signal.SIGKILL)
