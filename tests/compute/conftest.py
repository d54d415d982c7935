"""One set of real workers for all tests of this folder."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from playground.compute import start_method
from playground.compute.lane import Lane
from playground.compute.runner import Runner


def cpu_lanes(workers: int = 2, **limits: float) -> dict[str, Lane]:
    context = start_method.quickest()
    return {"cpu": Lane("cpu", workers=workers, context=context, hides_cuda=True, **limits)}


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    """Two CPU workers."""
    running = Runner(cpu_lanes)
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def narrow() -> Iterator[Runner]:
    """One CPU worker, and room for three who wait."""
    running = Runner(lambda: cpu_lanes(workers=1, most_waiting=3))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def visitors() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as threads:
        yield threads


def wait_until(condition) -> None:
    """Look again and again; generous, since other tests may keep the machine busy."""
    for _ in range(12_000):
        if condition():
            return
        threading.Event().wait(0.01)
    pytest.fail("it never came about")


@pytest.fixture
def until():
    return wait_until
