"""The order in which the server starts and stops, and a fault in a lesson."""

import asyncio
import logging
from types import SimpleNamespace

import pytest

from playground import catalog, compute
from playground.compute.status import ComputeStatus, PoolStatus
from playground.sandbox import jail
from tests.fresh import run_fresh
from ui import startup

LOADED = """
import asyncio, gc, sys
frozen = gc.get_freeze_count()  # Python 3.12 starts with some
from playground import catalog
from playground.sandbox import jail
from ui import startup
began = []
jail.start = lambda: began.append("jail")
startup.WORKERS_TIMEOUT_SECONDS = 0.0
names = [f"playground.lessons.{each.name}.{each.steps[-1].id}" for each in catalog.lessons()]
names += ["ui.lab.page"]
print(gc.get_freeze_count() - frozen, any(name in sys.modules for name in names))
asyncio.run(startup.load_deferred())
is_frozen = gc.get_freeze_count() > 10 * len(gc.get_objects())  # the list is of what is not frozen
print(startup._is_loaded, is_frozen, all(map(sys.modules.get, names)))
print(began, gc.get_threshold()[2] > 10, "torch" in sys.modules)
"""


@pytest.fixture(autouse=True)
def loads_nothing(monkeypatch):
    """The process of the tests goes on as it is."""
    monkeypatch.setattr(startup, "_is_loaded", False)
    monkeypatch.setattr(startup, "_load", catalog.lessons)
    monkeypatch.setattr(startup, "POLL_SECONDS", 0.001)
    monkeypatch.setattr(jail, "start", lambda: None)


def status(*, is_ready: bool) -> ComputeStatus:
    """A pool of one worker."""
    pool = PoolStatus(
        name="cpu", workers=1, is_ready=is_ready, waiting=0, running=0, crashes=0, timeouts=0
    )
    return ComputeStatus(pools=(pool,))


def test_the_parts_start_in_order_and_stop_in_the_opposite_order(monkeypatch):
    order = []

    def note(name, **values):
        return lambda *_, **__: order.append(name) or SimpleNamespace(**values)

    monkeypatch.setattr(startup.apply_settings, "begin", note("begin"))
    monkeypatch.setattr(startup.apply_settings, "end", note("end"))
    for part in ("progress", "compute", "jail"):
        module = getattr(startup, part)
        monkeypatch.setattr(module, "start", note(f"{part} starts"))
        monkeypatch.setattr(module, "stop", note(f"{part} stops"))
    monkeypatch.setattr(catalog, "lessons", note("lessons"))
    monkeypatch.setattr(compute, "status", lambda: status(is_ready=True))
    monkeypatch.setattr(startup, "_load", note("deferred imports"))

    async def serve() -> None:
        async with startup.lifespan(None):
            order.append("serves")
            while not startup.is_ready():
                await asyncio.sleep(0)
            order.append("is ready")

    asyncio.run(serve())

    assert order == [
        *("begin", "progress starts", "compute starts", "lessons", "serves"),
        *("jail starts", "deferred imports", "is ready"),
        *("progress stops", "jail stops", "compute stops", "end"),
    ]


def test_everything_that_pages_need_is_loaded_and_frozen():
    assert run_fresh(LOADED).splitlines() == ["0 False", "True True True", "['jail'] True False"]


def test_workers_start_first(monkeypatch):
    looks = iter([False, False, True])
    seen = []

    def look() -> ComputeStatus:
        seen.append(startup._is_loaded)
        return status(is_ready=next(looks))

    monkeypatch.setattr(compute, "status", look)

    asyncio.run(startup.load_deferred())

    assert seen == [False, False, False]
    assert startup._is_loaded


def test_workers_that_never_start_are_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(compute, "status", lambda: status(is_ready=False))
    monkeypatch.setattr(startup, "WORKERS_TIMEOUT_SECONDS", 0.01)

    asyncio.run(startup.load_deferred())

    assert startup._is_loaded
    assert not startup.is_ready()


def test_a_faulty_lesson_is_logged_and_keeps_the_server_from_being_ready(monkeypatch, caplog):
    def find_fault() -> None:
        raise catalog.CatalogError("catalog", faults=("lessons/tensors/lesson.toml: a fault",))

    monkeypatch.setattr(compute, "status", lambda: status(is_ready=True))
    monkeypatch.setattr(startup, "_load", find_fault)

    with caplog.at_level(logging.ERROR):
        asyncio.run(startup.load_deferred())

    assert not startup.is_ready()
    assert "lessons/tensors/lesson.toml: a fault" in caplog.text
