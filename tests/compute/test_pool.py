import gc
import signal
import threading
import time

import psutil
import pytest
from pebble.pool.process import Acknowledgement, WorkerManager

from playground.compute import pool as pool_module
from playground.compute.runner import Runner
from playground.compute.streaming import Callbacks
from playground.compute.worker_supervisor import WorkerSupervisor
from playground.errors import ComputeUnavailableError, ExperimentCrashedError
from tests.compute.conftest import PageLeft, cpu_pools, leave
from tests.compute.probe.records import Die, MeasureAddUp, SeeProcess, Wait

HOUR = 3600.0


@pytest.fixture
def lonely():
    """A runner of one worker, not yet started; its processes come from the same fork server."""
    running = Runner(lambda: cpu_pools(workers=1))
    yield running
    running.stop()


def test_a_runner_starts_when_it_is_needed_stops_twice_and_starts_again(runner, lonely):
    lonely.stop()
    assert lonely.status().pools == ()

    for _ in range(2):
        pid = lonely.run(SeeProcess()).pid
        lonely.stop()
        lonely.stop()

        assert lonely.status().pools == ()
        assert not psutil.pid_exists(pid)


def test_the_place_is_0_while_no_worker_has_started(lonely, visitors, until, monkeypatch):
    open_supervisor, may_start, places = WorkerSupervisor.open, threading.Event(), []
    monkeypatch.setattr(
        WorkerSupervisor,
        "open",
        lambda supervisor: may_start.wait() and open_supervisor(supervisor),
    )

    waiting = visitors.submit(lonely.run, SeeProcess(), None, Callbacks(places.append))
    until(lambda: places)
    may_start.set()
    waiting.result()

    assert set(places) == {0}


def test_a_death_seen_before_the_begin_has_its_exit_code(runner, lonely, until, monkeypatch):
    receive, is_late, late = WorkerManager.receive, threading.Event(), []

    def receive_late(manager: WorkerManager, seconds: float) -> object:
        message = receive(manager, seconds)
        if isinstance(message, Acknowledgement) and is_late.is_set():
            is_late.clear()
            late.append(message.worker)
            until(lambda: message.worker not in manager.workers)
        return message

    monkeypatch.setattr(WorkerManager, "receive", receive_late)
    lonely.run(MeasureAddUp())
    is_late.set()

    with pytest.raises(ExperimentCrashedError) as raised:
        lonely.run(Die(way="segfault"), timeout=30)

    assert late
    assert raised.value.values == {"exit_code": -signal.SIGSEGV}


def test_the_workers_of_a_collected_runner_end(runner, until):
    forgotten = Runner(lambda: cpu_pools(workers=1))
    pid = forgotten.run(SeeProcess()).pid

    del forgotten
    gc.collect()

    until(lambda: not psutil.pid_exists(pid))


def test_who_waits_or_runs_fails_when_the_pool_is_stopped(runner, lonely, visitors, until, gate):
    lonely.run(MeasureAddUp())
    tasks = [visitors.submit(lonely.run, Wait(gate=str(gate))) for _ in range(3)]
    until(lambda: lonely.status().pools[0].waiting == 2)

    lonely.stop()

    for task in tasks:
        with pytest.raises(ComputeUnavailableError):
            task.result()


def test_a_pool_without_workers_has_a_problem_and_is_tried_again_later(runner, lonely, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(WorkerSupervisor, "open", lambda _: False)
        for _ in range(2):
            with pytest.raises(ComputeUnavailableError) as raised:
                lonely.run(MeasureAddUp())

    assert raised.value.key == lonely.status().problem == "compute_unavailable"
    assert not lonely.status().is_ready
    monkeypatch.setattr(pool_module, "RETRY_SECONDS", 0)

    assert lonely.run(MeasureAddUp(count=3)).total == 3
    assert lonely.status().is_ready
    assert lonely.status().problem == ""


def test_no_experiment_waits_for_ever_for_workers_that_do_not_start(monkeypatch):
    never = threading.Event()
    monkeypatch.setattr(WorkerSupervisor, "open", lambda _: never.wait())
    stuck = Runner(lambda: cpu_pools(workers=1, boot_seconds=0.3))

    with pytest.raises(ComputeUnavailableError):
        stuck.run(MeasureAddUp())

    stuck.stop()
    never.set()


@pytest.fixture
def busy(narrow, visitors, until, gate):
    """A task that has the only worker until the gate is opened."""
    narrow.run(MeasureAddUp())
    running = visitors.submit(narrow.run, Wait(gate=str(gate)), 2 * HOUR)
    until(lambda: narrow.status().pools[0].running == 1)
    yield running
    gate.touch()
    running.result()


def test_a_visitor_who_leaves_the_queue_takes_the_task_along(narrow, busy, gate, tmp_path):
    note = tmp_path / "note"

    with pytest.raises(PageLeft):
        narrow.run(Wait(note=str(note)), None, Callbacks(leave))

    assert narrow.status().pools[0].waiting == 0
    gate.touch()
    busy.result()
    assert narrow.run(MeasureAddUp(count=3)).total == 3
    assert not note.exists()


def test_waiting_is_no_running_time(narrow, busy, visitors, gate, tmp_path, monkeypatch):
    waits, passed, own_gate = threading.Event(), [0.0], tmp_path / "own"
    for name in ("time", "monotonic"):
        clock = getattr(time, name)
        monkeypatch.setattr(time, name, lambda clock=clock: clock() + passed[0])

    progress = Callbacks(lambda _: waits.set(), lambda _: own_gate.touch())
    task = visitors.submit(narrow.run, Wait(gate=str(own_gate)), 60.0, progress)
    assert waits.wait(300)
    passed[0] = HOUR
    gate.touch()

    assert task.result() == busy.result()


@pytest.mark.parametrize("leaving", [PageLeft(), RuntimeError("a page's own"), OSError(5, "gone")])
def test_a_visitor_who_leaves_a_running_task_ends_it(narrow, gate, leaving):
    seconds_run = []

    def leave_later(seconds: float) -> None:
        seconds_run.append(seconds)
        if len(seconds_run) == 2:
            raise leaving

    with pytest.raises(type(leaving)) as raised:
        narrow.run(Wait(gate=str(gate)), None, Callbacks(on_run=leave_later))

    assert raised.value is leaving
    assert seconds_run == sorted(seconds_run)
    assert narrow.run(MeasureAddUp(count=3)).total == 3
    assert narrow.status().pools[0].running == 0
