from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from playground.compute import start_method
from playground.compute.pool import WorkerPool
from playground.compute.runner import Runner
from tests.waiting import wait_until

BOOT_SECONDS = 600.0  # a limit for what hangs: on a busy computer torch takes minutes to import


class PageLeft(BaseException):
    """Streamlit stops a script like this: with what no ``except Exception`` catches."""


def cpu_pools(
    workers: int = 2, boot_seconds: float = BOOT_SECONDS, **limits: float
) -> dict[str, WorkerPool]:
    limits |= {"workers": workers, "boot_seconds": boot_seconds}
    return {
        "cpu": WorkerPool("cpu", context=start_method.fastest_context(), hides_cuda=True, **limits)
    }


@pytest.fixture(scope="session")
def runner():
    running = Runner(cpu_pools)
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def narrow():
    """One CPU worker, and room for three who wait."""
    running = Runner(lambda: cpu_pools(workers=1, max_waiting=3))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def visitors():
    with ThreadPoolExecutor(8) as threads:
        yield threads


class Gate:
    """A file for which experiments of the probe wait."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __str__(self) -> str:
        return str(self._file)

    def open(self) -> None:
        self._file.touch()


@pytest.fixture
def gate(tmp_path, visitors):
    """Opened at the end in any case, before the visitors are awaited."""
    made = Gate(tmp_path / "gate")
    yield made
    made.open()


def is_gone(pid: int) -> bool:
    """Return whether a process has ended; its parent need not have reaped it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
def until():
    return wait_until
