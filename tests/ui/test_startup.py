import asyncio
import logging

import pytest
from streamlit.testing.v1 import AppTest

from playground import catalog, compute
from playground.compute.status import ComputeStatus, PoolStatus
from playground.sandbox import jail
from tests.fresh import run_fresh
from ui import startup
from ui.language import table

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


def pool(name: str, workers: int, **more: object) -> PoolStatus:
    quiet = {"is_ready": workers > 0, "waiting": 0, "running": 0, "crashes": 0, "timeouts": 0}
    return PoolStatus(name=name, workers=workers, **(quiet | more))


def status(*, is_ready: bool) -> ComputeStatus:
    return ComputeStatus(pools=(pool("cpu", int(is_ready)),))


def test_the_parts_start_in_order_behind_the_workers_and_stop_in_the_opposite_order(monkeypatch):
    order, looks = [], iter([False, False])

    def note(name):
        return lambda *_: order.append(name)

    def look() -> ComputeStatus:
        is_ready = next(looks, True)
        order.append(f"workers: {is_ready}")
        return status(is_ready=is_ready)

    monkeypatch.setattr(startup.apply_settings, "begin", note("begin"))
    monkeypatch.setattr(startup.apply_settings, "end", note("end"))
    for part in ("progress", "compute", "jail"):
        module = getattr(startup, part)
        monkeypatch.setattr(module, "start", note(f"{part} starts"))
        monkeypatch.setattr(module, "stop", note(f"{part} stops"))
    monkeypatch.setattr(startup.gc, "freeze", note("imports are frozen"))
    monkeypatch.setattr(catalog, "lessons", note("lessons"))
    monkeypatch.setattr(compute, "status", look)
    monkeypatch.setattr(startup, "_load", note("deferred imports"))

    async def serve() -> None:
        async with startup.lifespan(None):
            order.append("serves")
            while not startup.is_ready():
                await asyncio.sleep(0)
            order.append("is ready")

    asyncio.run(serve())

    assert order == [
        *("begin", "progress starts", "imports are frozen", "lessons", "compute starts", "serves"),
        *("workers: False", "workers: False", "workers: True"),
        *("jail starts", "deferred imports", "workers: True", "is ready"),
        *("progress stops", "jail stops", "compute stops", "end"),
    ]


def test_everything_that_pages_need_is_loaded_and_frozen():
    assert run_fresh(LOADED).splitlines() == ["0 False", "True True True", "['jail'] True False"]


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


CPU, THERE = pool("cpu", 2), pool("gpu", 1)
AWAY = pool("gpu", 0, crashes=3, losses=3, problem="gpu_unavailable", retry_seconds=29.6)


def page() -> None:
    import streamlit as st

    from ui import lesson_page, machine_picker

    machine_picker.draw()
    machine = machine_picker.current()
    lesson_page.draw_warnings()
    st.text(f"{machine.kind} with {machine_picker.devices(machine)}")


@pytest.fixture
def gpu(monkeypatch):
    pools = [CPU, AWAY]
    monkeypatch.setattr(compute, "status", lambda: ComputeStatus(pools=tuple(pools)))
    monkeypatch.setattr(compute, "count_gpus", lambda: 1)
    return pools


@pytest.mark.parametrize("language", ["en", "zh"])
def test_simulated_gpus_stand_in_until_it_is_back(gpu, language):
    at = AppTest.from_function(page, default_timeout=300)
    at.session_state["lang"] = language
    at.run()

    assert not at.exception
    assert at.text[0].value == "simulated with ('cpu', 'cuda:0', 'cuda:1')"
    assert at.session_state["machine"] == "real"  # the choice stays
    said = getattr(table()["failures.gpu_unavailable"], language)
    assert [each.value for each in at.info] == [said]
    assert getattr(table()["sidebar.gpu-away"], language) in [each.value for each in at.caption]
    assert not at.warning
    assert (compute.status().is_ready, compute.status().gpu_retry_seconds) == (True, 29.6)

    gpu[1] = THERE
    at.run()

    assert compute.status().gpu_retry_seconds is None
    assert at.text[0].value == "real with ('cpu', 'cuda:0')"
    assert not at.info


def test_a_server_without_a_working_cpu_pool_is_another_matter(gpu):
    gpu[0] = pool("cpu", 0, problem="compute_unavailable")
    at = AppTest.from_function(page, default_timeout=300).run()
    assert [each.value for each in at.warning] == [table()["failures.compute_unavailable"].en]
    assert not compute.status().is_ready
