"""What a page says and does while the server's GPU does not answer."""

import pytest
from streamlit.testing.v1 import AppTest

from playground import compute
from playground.compute.status import ComputeStatus, PoolStatus
from ui.language import table


def pool(name: str, workers: int, **more: object) -> PoolStatus:
    quiet = {"is_ready": workers > 0, "waiting": 0, "running": 0, "crashes": 0, "timeouts": 0}
    return PoolStatus(name=name, workers=workers, **(quiet | more))


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

    gpu[1] = THERE
    at.run()

    assert at.text[0].value == "real with ('cpu', 'cuda:0')"
    assert not at.info


def test_a_server_without_a_working_cpu_pool_is_another_matter(gpu):
    gpu[0] = pool("cpu", 0, problem="compute_unavailable")
    at = AppTest.from_function(page, default_timeout=300).run()

    assert [each.value for each in at.warning] == [table()["failures.compute_unavailable"].en]


def test_lessons_can_be_given_without_the_gpu(gpu):
    assert compute.status().is_ready
    assert compute.status().problem == ""
    assert compute.status().gpu_retry_seconds == 29.6
    gpu[1] = THERE
    assert compute.status().gpu_retry_seconds is None
    del gpu[0]
    gpu[0] = AWAY
    assert not compute.status().is_ready
