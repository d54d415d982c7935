from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from playground.compute import start_method
from playground.compute.pool import WorkerPool
from playground.compute.runner import Runner
from tests.waiting import wait_until

BOOT_SECONDS = 600.0  # a limit for what hangs: on a busy computer torch takes minutes to import


class PageLeft(BaseException):
    """Streamlit stops a script like this: with what no ``except Exception`` catches."""


def leave(_: float) -> None:
    """The visitor leaves in a callback."""
    raise PageLeft


def cpu_pools(**limits: float) -> dict[str, WorkerPool]:
    limits = {"workers": 2, "boot_seconds": BOOT_SECONDS, **limits}
    context = start_method.fastest_context()
    return {"cpu": WorkerPool("cpu", context=context, hides_cuda=True, **limits)}


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


@pytest.fixture
def gate(tmp_path, visitors):
    """A file for which experiments of the probe wait; it comes at the end in any case."""
    file = tmp_path / "gate"
    yield file
    file.touch()


def is_gone(pid: int) -> bool:
    """Return whether a process has ended; its parent need not have reaped it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
def until():
    return wait_until
