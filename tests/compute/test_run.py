import os
import signal
import sys
from pathlib import Path

import pytest

from playground.errors import (
    ExperimentCrashedError,
    ExperimentTimedOutError,
    InvalidSettingError,
)
from playground.machines import Machine, MachineKind
from tests.compute.conftest import is_gone
from tests.compute.probe.records import (
    AddUp,
    Die,
    Fail,
    MeasureAddUp,
    SeeProcess,
    Wait,
)

linux = pytest.mark.skipif(sys.platform != "linux", reason="the fork server is used on Linux")


def test_a_report_comes_back_from_another_process(runner):
    report = runner.run(MeasureAddUp(count=10))

    assert report.total == 45
    assert report.pid != os.getpid()


@pytest.mark.parametrize(
    ("way", "exit_code"),
    [("segfault", -signal.SIGSEGV), ("exit", 0), ("kill", -signal.SIGKILL)],
)
def test_a_worker_that_dies_is_told_and_hurts_nobody_else(
    runner, visitors, until, gate, tmp_path, way, exit_code
):
    note = tmp_path / "note"
    neighbour = visitors.submit(runner.run, Wait(gate=str(gate), note=str(note)))
    until(note.exists)

    with pytest.raises(ExperimentCrashedError) as told:
        runner.run(Die(way=way), timeout=30)

    assert told.value.key == "crashed"
    assert told.value.values == {"exit_code": exit_code}
    gate.open()
    assert neighbour.result()


@pytest.mark.parametrize("way", ["exit-255", "exit", "segfault", "kill"])
def test_what_ended_its_worker_is_not_run_again(runner, tmp_path, way):
    note = tmp_path / "note"

    with pytest.raises(ExperimentCrashedError):
        runner.run(Die(way=way, note=str(note)), timeout=30)

    assert note.read_text() == "ran\n"


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), True, "5"])
def test_what_is_no_limit_is_refused(runner, timeout):
    with pytest.raises(ValueError, match="finite number above 0"):
        runner.run(Wait(), timeout=timeout)


@pytest.mark.parametrize("settings", [5, None, Wait])
def test_what_is_no_settings_record_is_refused(runner, settings):
    with pytest.raises(TypeError, match="must be a settings record"):
        runner.run(settings)


def test_every_crash_is_counted_and_its_worker_replaced(runner, until):
    before = runner.status().lanes[0].crashes

    for _ in range(3):
        with pytest.raises(ExperimentCrashedError):
            runner.run(Die(way="segfault"), timeout=30)

    assert runner.status().lanes[0].crashes == before + 3
    until(lambda: runner.status().lanes[0].workers == 2)
    assert runner.run(MeasureAddUp(count=4)).total == 6


def test_a_task_past_its_limit_is_killed_and_its_worker_replaced(runner, until):
    before = runner.status().lanes[0].timeouts

    with pytest.raises(ExperimentTimedOutError) as told:
        runner.run(Die(way="hang"))

    assert told.value.key == "timed_out"
    assert told.value.values == {"seconds": 0.5}  # the limit of the settings
    assert runner.status().lanes[0].timeouts == before + 1
    until(lambda: runner.status().lanes[0].workers == 2)


def test_the_limit_of_the_call_goes_before_the_limit_of_the_settings(runner):
    with pytest.raises(ExperimentTimedOutError) as told:
        runner.run(Die(way="hang"), timeout=0.2)

    assert told.value.values == {"seconds": 0.2}


def test_a_task_that_ignores_the_polite_signal_is_killed(runner):
    with pytest.raises(ExperimentTimedOutError):
        runner.run(Die(way="hang-deaf"))


def test_a_playground_error_comes_through_as_itself(runner):
    with pytest.raises(InvalidSettingError) as told:
        runner.run(Fail(way="playground"))

    assert (told.value.field, told.value.values["most"]) == ("way", 3)


@pytest.mark.parametrize(
    ("way", "error_type"),
    [
        ("value", "ValueError"),
        ("system-exit", "SystemExit"),
        ("unpicklable", "TypeError"),
        ("report", "TypeError"),
    ],
)
def test_any_other_error_is_logged_with_its_places_and_told_without_a_path(
    runner, caplog, way, error_type
):
    with pytest.raises(ExperimentCrashedError) as told:
        runner.run(Fail(way=way))

    assert told.value.key == "failed"
    assert told.value.values == {"experiment": "Fail", "error_type": error_type}
    assert f"experiment Fail failed: {error_type} at" in caplog.text
    assert "experiment.py" in caplog.text or way == "report"
    assert "ValueError: in " not in caplog.text  # its own text


def test_an_idle_worker_that_is_killed_costs_nobody_a_task(runner):
    for _ in range(2):
        os.kill(runner.run(SeeProcess()).pid, signal.SIGKILL)

        assert runner.run(MeasureAddUp(count=5)).total == 10


def test_workers_see_no_gpu_use_one_thread_and_know_nothing_of_streamlit(runner):
    seen = runner.run(SeeProcess())

    assert seen.visible_devices == ""
    assert seen.threads == 1
    assert not seen.has_streamlit
    assert seen.main_file is None


@linux
def test_workers_are_forked_from_a_server_that_has_torch(runner):
    seen = runner.run(SeeProcess())

    assert seen.was_forked_warm
    # What is mapped into the server was imported there: nothing else imports it for the server.
    assert "libtorch_cpu" in Path(f"/proc/{seen.parent_pid}/maps").read_text()


@linux
def test_the_pool_heals_when_the_fork_server_dies(runner, visitors, until, gate):
    server = runner.run(SeeProcess()).parent_pid
    both = [visitors.submit(runner.run, Wait(gate=str(gate))) for _ in range(2)]
    until(lambda: runner.status().lanes[0].running == 2)
    gate.open()
    workers = {each.result() for each in both}
    os.kill(server, signal.SIGKILL)
    until(lambda: all(map(is_gone, workers)))

    for _ in range(4):
        assert runner.run(Wait()) not in workers
    until(lambda: runner.status().lanes[0].workers == 2)
    again = runner.run(SeeProcess())
    assert again.was_forked_warm
    assert again.parent_pid != server


def test_real_machines_use_the_cpu_lane_where_there_is_no_gpu(runner):
    report = runner.run(AddUp(machine=Machine(kind=MachineKind.REAL), count=3))

    assert report.total == 3
