"""What is loaded after the first page: when, and what becomes of a fault in a lesson."""

import asyncio
import logging

import pytest

from playground import catalog, compute
from playground.compute.status import ComputeStatus, LaneStatus
from playground.sandbox import jail
from tests.fresh import run_fresh
from ui import rest

LOADED = """
import asyncio, gc, sys
frozen = gc.get_freeze_count()  # Python 3.12 starts with some
from playground import catalog
from playground.sandbox import jail
from ui import rest
began = []
jail.start = lambda: began.append("jail")
rest.PATIENCE_SECONDS = 0.0
names = [f"playground.lessons.{each.name}.{each.steps[-1].id}" for each in catalog.lessons()]
names += ["ui.lab.frame", "plotly.graph_objects"]
print(rest.is_loaded(), gc.get_freeze_count() - frozen, any(name in sys.modules for name in names))
asyncio.run(rest.load())
print(rest.is_loaded(), gc.get_freeze_count() > 100_000, all(map(sys.modules.get, names)))
print(began, gc.get_threshold()[2] > 10, "torch" in sys.modules)
"""


@pytest.fixture(autouse=True)
def loads_nothing(monkeypatch):
    """The process of the tests goes on as it is."""
    monkeypatch.setattr(rest, "_is_loaded", False)
    monkeypatch.setattr(rest, "_load", catalog.lessons)
    monkeypatch.setattr(rest, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(jail, "start", lambda: None)


def status(*, is_ready: bool) -> ComputeStatus:
    """A lane of one worker."""
    lane = LaneStatus(
        name="cpu", workers=1, is_ready=is_ready, waiting=0, running=0, crashes=0, timeouts=0
    )
    return ComputeStatus(lanes=(lane,))


def test_everything_that_pages_need_is_loaded_and_frozen():
    assert run_fresh(LOADED).splitlines() == [
        "False 0 False",
        "True True True",
        "['jail'] True False",
    ]


def test_workers_start_first(monkeypatch):
    looks = iter([False, False, True])
    seen = []

    def look() -> ComputeStatus:
        seen.append(rest.is_loaded())
        return status(is_ready=next(looks))

    monkeypatch.setattr(compute, "status", look)

    asyncio.run(rest.load())

    assert seen == [False, False, False]
    assert rest.is_loaded()


def test_workers_that_never_start_are_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(compute, "status", lambda: status(is_ready=False))
    monkeypatch.setattr(rest, "PATIENCE_SECONDS", 0.01)

    asyncio.run(rest.load())

    assert rest.is_loaded()


def test_a_faulty_lesson_is_logged_and_keeps_the_server_from_being_ready(monkeypatch, caplog):
    def find_fault() -> None:
        raise catalog.CatalogError("catalog", faults=("lessons/tensors/lesson.toml: a fault",))

    monkeypatch.setattr(compute, "status", lambda: status(is_ready=True))
    monkeypatch.setattr(rest, "_load", find_fault)

    with caplog.at_level(logging.ERROR):
        asyncio.run(rest.load())

    assert not rest.is_loaded()
    assert "lessons/tensors/lesson.toml: a fault" in caplog.text
