"""Takes times: which devices there are to time, how one waits for them, when it is enough."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from playground.machines.machine import DeviceName, Machine, device_names

LEAST_REPEATS = 3
MOST_THREADS = 64


def timed_devices(machine: Machine) -> tuple[DeviceName, ...]:
    """The server's CPU and, where the visitor chose the real machine, each of its GPUs.

    A simulated GPU computes on the CPU, so its times would be invented: it is never timed.
    """
    return device_names(0 if machine.is_simulated else torch.cuda.device_count())


def wait_for(device: DeviceName) -> None:
    """Return when the device has done all it was told to; the CPU has done so already."""
    if device != "cpu":
        torch.cuda.synchronize(device)


def take_times(
    action: Callable[[], object],
    device: DeviceName,
    *,
    repeats: int,
    seconds: float,
    waits: bool = True,
) -> list[float]:
    """Do something again and again, and take the time of each.

    Args:
        action: What is timed; warm it up before.
        device: Where it runs.
        repeats: How often.
        seconds: When they are used up, fewer repeats are enough, but never less than three.
        waits: Wait for the device before the clock is read; without, only the call is timed.
    """
    taken: list[float] = []
    wait_for(device)
    latest = time.perf_counter() + seconds
    while len(taken) < repeats:
        if len(taken) >= LEAST_REPEATS and time.perf_counter() > latest:
            break
        begin = time.perf_counter()
        action()
        if waits:
            wait_for(device)
        taken.append(time.perf_counter() - begin)
    wait_for(device)
    return taken


class Budget:
    """The seconds that a whole measurement may take.

    Args:
        seconds: From now on.
    """

    def __init__(self, seconds: float) -> None:
        self._latest = time.perf_counter() + seconds

    @property
    def is_used_up(self) -> bool:
        """Whether nothing new should begin."""
        return time.perf_counter() > self._latest


@contextmanager
def cpu_threads(*, uses_all: bool) -> Iterator[int]:
    """Let PyTorch use one thread on the CPU, or as many as this process may have CPUs."""
    before = torch.get_num_threads()
    torch.set_num_threads(min(_cpus(), MOST_THREADS) if uses_all else 1)
    try:
        yield torch.get_num_threads()
    finally:
        torch.set_num_threads(before)


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
