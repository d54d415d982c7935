import gc
import signal
import threading

import psutil
import pytest
from pebble.pool.process import Acknowledgement, WorkerManager

from playground.compute import lane as lane_module
from playground.compute.progress import Progress
from playground.compute.runner import Runner
from playground.compute.seat import Seat
from playground.errors import ComputeUnavailableError, ExperimentCrashedError
from tests.compute.conftest import cpu_lanes
from tests.compute.probe.records import Die, MeasureAddUp, SeeProcess, Wait


@pytest.fixture
def lonely():
    """A runner of one worker, not yet started; its processes come from the same fork server."""
    running = Runner(lambda: cpu_lanes(workers=1))
    yield running
    running.stop()


def test_a_runner_starts_when_it_is_needed_stops_twice_and_starts_again(runner, lonely):
    lonely.stop()
    assert lonely.status().lanes == ()

    for _ in range(2):
        pid = lonely.run(SeeProcess()).pid
        lonely.stop()
        lonely.stop()

        assert lonely.status().lanes == ()
        assert not psutil.pid_exists(pid)


def test_who_waits_while_no_worker_has_started_is_told_so(lonely, visitors, until, monkeypatch):
    open_seat, may_start, places = Seat.open, threading.Event(), []
    monkeypatch.setattr(Seat, "open", lambda seat: may_start.wait() and open_seat(seat))

    waiting = visitors.submit(lonely.run, SeeProcess(), None, Progress(places.append))
    until(lambda: places)
    may_start.set()
    waiting.result()

    assert set(places) == {0}


def test_the_exit_code_is_told_though_the_death_is_seen_before_the_begin(
    runner, lonely, until, monkeypatch
):
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

    with pytest.raises(ExperimentCrashedError) as told:
        lonely.run(Die(way="segfault"), timeout=30)

    assert late
    assert told.value.values == {"exit_code": -signal.SIGSEGV}


def test_the_workers_of_a_forgotten_runner_end(runner, until):
    forgotten = Runner(lambda: cpu_lanes(workers=1))
    pid = forgotten.run(SeeProcess()).pid

    del forgotten
    gc.collect()

    until(lambda: not psutil.pid_exists(pid))


def test_who_waits_or_runs_when_the_lane_is_stopped_is_told_so(
    runner, lonely, visitors, until, gate
):
    lonely.run(MeasureAddUp())
    tasks = [visitors.submit(lonely.run, Wait(gate=str(gate))) for _ in range(3)]
    until(lambda: lonely.status().lanes[0].waiting == 2)

    lonely.stop()

    for task in tasks:
        with pytest.raises(ComputeUnavailableError):
            task.result()


def test_a_lane_without_workers_says_so_and_is_tried_again_later(runner, lonely, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(Seat, "open", lambda _: False)
        for _ in range(2):
            with pytest.raises(ComputeUnavailableError) as told:
                lonely.run(MeasureAddUp())

    assert told.value.key == lonely.status().problem == "compute_unavailable"
    assert not lonely.status().is_ready
    monkeypatch.setattr(lane_module, "RETRY_SECONDS", 0)

    assert lonely.run(MeasureAddUp(count=3)).total == 3
    assert lonely.status().is_ready
    assert lonely.status().problem == ""


def test_nobody_waits_for_ever_for_workers_that_do_not_come(monkeypatch):
    never = threading.Event()
    monkeypatch.setattr(Seat, "open", lambda _: never.wait())
    stuck = Runner(lambda: cpu_lanes(workers=1, boot_seconds=0.3))

    with pytest.raises(ComputeUnavailableError):
        stuck.run(MeasureAddUp())

    stuck.stop()
    never.set()


def test_the_status_counts_what_waits_and_runs(narrow, visitors, until, gate):
    narrow.run(MeasureAddUp())
    tasks = [visitors.submit(narrow.run, Wait(gate=str(gate))) for _ in range(3)]

    until(lambda: narrow.status().lanes[0].waiting == 2)
    (lane,) = narrow.status().lanes

    assert (lane.name, lane.workers, lane.running, lane.is_ready) == ("cpu", 1, 1, True)
    gate.open()
    for task in tasks:
        task.result()
    (lane,) = narrow.status().lanes
    assert (lane.waiting, lane.running) == (0, 0)


def test_a_limit_that_is_none_is_refused(runner):
    with pytest.raises(ValueError, match="timeout"):
        runner.run(MeasureAddUp(), timeout=0)
