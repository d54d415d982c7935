import contextlib
import os
import signal
import sys
import threading
from pathlib import Path

import pytest
import torch
from pebble.pool.process import WorkerManager

from playground import compute
from playground.compute import gpu_quota, worker_process
from playground.compute.runner import Runner, build_pools, pool_name
from playground.compute.settings import Settings
from playground.errors import ExperimentCrashedError, ExperimentTimedOutError, InvalidSettingError
from playground.machines import Machine, MachineKind, gpu_detection
from tests.compute.conftest import cpu_pools, is_gone
from tests.compute.probe.records import (
    AddUp,
    Die,
    Fail,
    MeasureAddUp,
    SeeProcess,
    Wait,
    WaitOnce,
    WreckState,
)

REAL = Machine(kind=MachineKind.REAL)


@pytest.mark.parametrize(
    ("way", "exit_code"),
    [("segfault", -signal.SIGSEGV), ("exit", 0), ("exit-255", 255), ("kill", -signal.SIGKILL)],
)
def test_a_worker_that_dies_is_reported_and_replaced_its_task_not_run_again_and_no_other_hurt(
    runner, visitors, until, gate, tmp_path, way, exit_code
):
    note, died = tmp_path / "note", tmp_path / "died"
    before = runner.status().pools[0].crashes
    neighbour = visitors.submit(runner.run, Wait(gate=str(gate), note=str(note)))
    until(note.exists)

    with pytest.raises(ExperimentCrashedError) as raised:
        runner.run(Die(way=way, note=str(died)), timeout=30)

    assert (raised.value.key, raised.value.values) == ("crashed", {"exit_code": exit_code})
    assert died.read_text() == "ran\n"
    gate.touch()
    assert neighbour.result()
    assert runner.status().pools[0].crashes == before + 1
    until(lambda: runner.status().pools[0].workers == 2)


def test_a_death_that_pebble_notices_late_has_its_own_exit_code(narrow, monkeypatch):
    is_gone, inspect_workers, looks = worker_process.is_gone, WorkerManager.inspect_workers, []
    monkeypatch.setattr(
        worker_process, "is_gone", lambda pid: looks.append(is_gone(pid)) or looks[-1]
    )
    monkeypatch.setattr(
        WorkerManager,
        "inspect_workers",
        lambda each: inspect_workers(each) if sum(looks) > 4 else (),
    )
    with pytest.raises(ExperimentCrashedError) as raised:
        narrow.run(Die(way="exit-255"), timeout=30)
    assert raised.value.values == {"exit_code": 255}


@pytest.mark.skipif(sys.platform != "linux", reason="processes have descriptors on Linux")
def test_a_worker_that_pebble_takes_for_dead_is_killed(narrow, until, monkeypatch):
    pid = narrow.run(SeeProcess()).pid
    kept = []  # as long as there is its object, its parent's end of a pipe is open

    def take_for_dead(manager):
        kept.extend(filter(None, [manager.workers.pop(pid, None)]))
        return ()

    def next_pid():
        with contextlib.suppress(ExperimentCrashedError):  # killed with the task that it had taken
            return narrow.run(SeeProcess(), timeout=30).pid

    with monkeypatch.context() as patch:
        patch.setattr(WorkerManager, "inspect_workers", take_for_dead)
        until(lambda: kept)
    os.kill(pid, signal.SIGSTOP)  # the next task is for its successor
    until(lambda: next_pid() not in (None, pid))
    until(lambda: is_gone(pid))


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), True, "5"])
def test_an_invalid_timeout_is_refused(runner, timeout):
    with pytest.raises(ValueError, match="finite number above 0"):
        runner.run(Wait(), timeout=timeout)


@pytest.mark.parametrize("settings", [5, None, Wait])
def test_an_argument_that_is_no_settings_record_is_refused(runner, settings):
    with pytest.raises(TypeError, match="must be a settings record"):
        runner.run(settings)


def test_a_task_past_its_limit_is_killed_and_its_worker_replaced(runner, until):
    before = runner.status().pools[0].timeouts

    with pytest.raises(ExperimentTimedOutError) as raised:
        runner.run(Die(way="hang"))

    limit = {"seconds": 0.5}  # of the settings
    assert (raised.value.key, raised.value.values) == ("timed_out", limit)
    assert runner.status().pools[0].timeouts == before + 1
    until(lambda: runner.status().pools[0].workers == 2)

    with pytest.raises(ExperimentTimedOutError) as raised:
        runner.run(Die(way="hang-deaf"), timeout=0.2)  # the limit of the call goes before

    assert raised.value.values == {"seconds": 0.2}


def test_a_playground_error_comes_through_as_itself(runner):
    with pytest.raises(InvalidSettingError) as raised:
        runner.run(Fail(way="playground"))

    assert (raised.value.field, raised.value.values["most"]) == ("way", 3)


@pytest.mark.parametrize(
    ("way", "kind"),
    [
        ("value", "ValueError"),
        ("system-exit", "SystemExit"),
        ("unpicklable", "TypeError"),
        ("report", "TypeError"),
    ],
)
def test_any_other_error_is_logged_and_raised_without_a_path(runner, caplog, way, kind):
    with pytest.raises(ExperimentCrashedError) as raised:
        runner.run(Fail(way=way))

    told = {"experiment": "Fail", "error_type": kind}
    assert (raised.value.key, raised.value.values) == ("failed", told)
    assert f"experiment Fail failed: {kind} at" in caplog.text
    assert "experiment.py" in caplog.text or way == "report"
    assert "ValueError: in " not in caplog.text  # its own text


def test_an_idle_worker_that_is_killed_costs_no_task(runner):
    for _ in range(2):
        os.kill(runner.run(SeeProcess()).pid, signal.SIGKILL)

        assert runner.run(MeasureAddUp(count=5)).total == 10


def test_workers_see_no_gpu_and_no_streamlit_and_come_from_a_warm_server(runner):
    seen = runner.run(SeeProcess())

    assert (seen.visible_devices, seen.threads) == ("", 1)
    assert (seen.has_streamlit, seen.main_file) == (False, None)
    if sys.platform == "linux":
        assert seen.was_forked_warm
        # What is mapped there was imported there: nothing else imports it for the server.
        assert "libtorch_cpu" in Path(f"/proc/{seen.parent_pid}/maps").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="the fork server is used on Linux")
def test_the_pool_heals_when_the_fork_server_dies(runner, visitors, until, gate):
    server = runner.run(SeeProcess()).parent_pid
    both = [visitors.submit(runner.run, Wait(gate=str(gate))) for _ in range(2)]
    until(lambda: runner.status().pools[0].running == 2)
    gate.touch()
    workers = {each.result() for each in both}
    os.kill(server, signal.SIGKILL)
    until(lambda: all(map(is_gone, workers)))

    for _ in range(4):
        assert runner.run(Wait()) not in workers
    until(lambda: runner.status().pools[0].workers == 2)
    again = runner.run(SeeProcess())
    assert again.was_forked_warm
    assert again.parent_pid != server


class NeedsNoHardware(Settings[None]):
    uses_hardware = False
    machine = REAL


@pytest.fixture(scope="module")
def host_with_gpu():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu_detection, "count_gpus", lambda: 1)
        patch.setattr(gpu_quota, "_expects_cuda", lambda: False)  # CUDA would say that it is not
        patch.setenv("CUDA_VISIBLE_DEVICES", "0")
        running = Runner(build_pools)
        running.start()
        yield running
        running.stop()


@pytest.mark.parametrize(
    ("settings", "has_gpu_pool", "pool"),
    [
        (AddUp(machine=REAL), True, "gpu"),
        (AddUp(machine=REAL), False, "cpu"),
        (AddUp(machine=Machine()), True, "cpu"),
        (MeasureAddUp(), True, "cpu"),
        (NeedsNoHardware(), True, "cpu"),
    ],
)
def test_only_settings_that_touch_real_devices_go_to_the_gpu_pool(settings, has_gpu_pool, pool):
    assert pool_name(settings, has_gpu_pool=has_gpu_pool) == pool


def test_no_gpu_means_no_gpu_pool(monkeypatch):
    monkeypatch.setattr(gpu_detection, "count_gpus", lambda: 0)

    assert set(build_pools()) == {"cpu"}


def test_gpus_are_visible_in_the_gpu_pool_and_hidden_in_the_cpu_pool(host_with_gpu):
    on_gpu = host_with_gpu.run(SeeProcess(machine=REAL))
    on_cpu = host_with_gpu.run(SeeProcess(machine=Machine()))

    assert (on_gpu.visible_devices, on_gpu.was_forked_warm) == ("0", False)
    assert on_cpu.visible_devices == ""
    assert (on_gpu.has_streamlit, on_gpu.main_file) == (False, None)
    assert [pool.name for pool in host_with_gpu.status().pools] == ["cpu", "gpu"]


def test_a_gpu_without_readings_has_one_worker(host_with_gpu, visitors):
    tasks = [visitors.submit(host_with_gpu.run, SeeProcess(machine=REAL)) for _ in range(4)]
    assert len({task.result().pid for task in tasks}) == 1


@pytest.fixture
def moment():
    return threading.Event()


@pytest.fixture
def late(runner, moment):
    """A runner of one worker, whose pool is built at that moment."""
    running = Runner(lambda: cpu_pools(workers=1) if moment.wait() else {})
    running.start()
    yield running
    moment.set()
    running.stop()


def test_a_start_returns_at_once_and_the_status_announces_workers(late, moment, until):
    assert late.status().is_awaited
    assert late.status().pools == ()

    moment.set()
    until(lambda: late.status().is_ready)

    assert not late.status().is_awaited


def test_an_early_experiment_runs_on_the_same_workers(late, moment, until):
    moment.set()
    pid = late.run(SeeProcess()).pid
    until(lambda: not any(each.name == "compute-start" for each in threading.enumerate()))

    assert late.run(SeeProcess()).pid == pid  # no second set of workers


def test_a_runner_that_is_stopped_while_it_starts_stays_stopped(late, moment, until):
    stopping = threading.Thread(target=late.stop, daemon=True)
    stopping.start()
    until(lambda: not late.status().is_awaited)
    moment.set()
    stopping.join()

    assert late.status().pools == ()
    assert not late.status().is_awaited


def test_inline_holds_for_pages_under_test_which_run_in_another_thread():
    reports = []

    with compute.running_inline():
        page = threading.Thread(target=lambda: reports.append(compute.run(AddUp(count=5))))
        page.start()
        page.join()

    assert [(each.total, each.pid) for each in reports] == [(10, os.getpid())]
    assert compute.status().pools == ()


def test_inline_restores_state_and_caches_nothing(tmp_path):
    note = tmp_path / "note"

    with compute.running_inline():
        compute.run(WreckState())
        for _ in range(2):
            compute.run(WaitOnce(note=str(note)))

    assert torch.get_default_dtype() == torch.float32
    assert note.read_text() == "ran\n" * 2


def test_inline_errors_are_not_wrapped():
    with compute.running_inline():
        with pytest.raises(InvalidSettingError):
            compute.run(Fail(way="playground"))
        with pytest.raises(ValueError, match="experiment"):
            compute.run(Fail(way="value"))
