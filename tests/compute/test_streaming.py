import gc
import os
import pickle
import signal
import sys
import threading
from concurrent.futures import wait
from pathlib import Path

import pytest
import torch
from pebble import CONSTS

from playground import compute
from playground.compute import worker_supervisor
from playground.compute.streaming import NO_CALLBACKS, Callbacks, Stream
from playground.errors import ExperimentCrashedError, ExperimentTimedOutError
from tests.compute.conftest import PageLeft, is_gone
from tests.compute.probe.records import (
    Counted,
    CountUp,
    CountUpOnce,
    MeasureAddUp,
    ReadState,
    SeeProcess,
    Wait,
)

ENDLESS = CountUp(total=10**9, pause_seconds=0.01)


def counts(stream, gate: Path | None = None) -> list[int]:
    """Read all progress; an experiment with a gate goes on after each number that was read."""
    read = []
    for progress in stream:
        read.append(progress.count)
        if gate:
            (gate / str(progress.count)).touch()
    return read


def is_free(runner) -> bool:
    """Return whether the only worker takes another task, though its last one has no end."""
    before = runner.status().pools[0].timeouts
    total = runner.run(MeasureAddUp(count=3)).total
    return (total, runner.status().pools[0].timeouts) == (3, before)


@pytest.fixture
def patient(monkeypatch):
    """A worker may take its time to obey: it is not replaced because the computer is busy."""
    monkeypatch.setattr(worker_supervisor, "STOP_TIMEOUT_SECONDS", 120.0)


def test_progress_between_a_look_and_the_end_is_not_lost(narrow, monkeypatch):
    pass_progress = worker_supervisor.WorkerSupervisor._pass_progress
    looks = []

    def look_too_early(self, future, progress, run):
        if not run or run in looks:
            return pass_progress(self, future, progress, run)
        looks.append(run)
        wait([future], timeout=100)
        assert future.done()
        return False  # there was nothing when it looked; all was reported since

    monkeypatch.setattr(worker_supervisor.WorkerSupervisor, "_pass_progress", look_too_early)

    assert counts(narrow.stream(CountUp(total=1))) == [0]


def test_progress_arrives_while_the_experiment_runs_and_no_report_before_its_end(runner, tmp_path):
    note = tmp_path / "note"
    stream = runner.stream(CountUp(total=4, gate=str(tmp_path), note=str(note)))

    for count in range(4):
        assert next(stream) == Counted(count=count)
        assert not note.exists()
        with pytest.raises(RuntimeError, match="no report"):
            _ = stream.report
        (tmp_path / str(count)).touch()

    assert list(stream) == []
    assert stream.report == 4
    assert note.exists()


def test_nothing_runs_before_the_first_next_unless_it_is_run_without_a_reader(runner, tmp_path):
    note = tmp_path / "note"
    runner.stream(CountUp(note=str(note)))

    assert runner.run(CountUp(total=7)) == 7

    assert not note.exists()


def test_a_slow_reader_holds_nobody_up_and_gets_the_newest_and_the_last(runner, tmp_path, until):
    note = tmp_path / "note"
    settings = CountUp(total=2000, filling_bytes=10_000, note=str(note))  # 20 MB: no pipe holds it

    stream = runner.stream(settings)
    first = next(stream)
    until(note.exists)  # the worker has reported everything, and was read once
    rest = counts(stream)

    assert first.count < 2000
    assert rest[-1] == 1999
    assert len(rest) < 100
    assert stream.report == 2000


def test_streams_of_two_visitors_do_not_mix(runner, visitors):
    settings = [CountUp(total=total) for total in (11, 12, 13, 14)]

    read = list(visitors.map(lambda each: counts(runner.stream(each)), settings))

    assert [each[-1] for each in read] == [10, 11, 12, 13]
    assert all(each == sorted(set(each)) for each in read)


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("die", {"exit_code": -signal.SIGKILL}),
        ("raise", {"experiment": "CountUp", "error_type": "ValueError"}),
        ("system-exit", {"experiment": "CountUp", "error_type": "SystemExit"}),
    ],
)
def test_an_error_comes_once_after_the_progress_before_it(narrow, end, told):
    stream = narrow.stream(CountUp(total=1, end=end))

    assert next(stream).count == 0
    with pytest.raises(ExperimentCrashedError) as error:
        next(stream)
    assert error.value.values == told
    assert list(stream) == []


def test_a_worker_killed_in_the_middle_of_a_message_blocks_no_reader(narrow, visitors):
    pid = narrow.run(SeeProcess()).pid
    stream = narrow.stream(CountUp(total=100_000, filling_bytes=1_000_000))
    next(stream)

    os.kill(pid, signal.SIGKILL)

    with pytest.raises(ExperimentCrashedError):
        counts(stream)
    assert is_free(narrow)


def test_a_stream_past_its_limit_is_killed(narrow):
    with pytest.raises(ExperimentTimedOutError) as error:
        counts(narrow.stream(ENDLESS, timeout=0.5))

    assert error.value.values == {"seconds": 0.5}
    assert is_free(narrow)


def test_a_worker_that_does_not_stop_is_replaced_within_a_second():
    # How long it really takes is measured by benchmarks/trainer_overhead.py.
    assert (
        worker_supervisor.RECEIVE_SECONDS
        + worker_supervisor.STOP_TIMEOUT_SECONDS
        + CONSTS.term_timeout
        < 1
    )


@pytest.mark.parametrize(
    ("end", "is_forgotten"), [("hang", False), ("hang-deaf", False), ("hang-deaf", True)]
)
def test_a_worker_that_does_not_stop_is_replaced(narrow, until, monkeypatch, end, is_forgotten):
    kept = []  # as long as there is its object, its parent's end of a pipe is open
    if is_forgotten:
        if sys.platform != "linux":
            pytest.skip("processes have descriptors on Linux")
        monkeypatch.setattr("pebble.pool.process.stop_process", kept.append)
    pid = narrow.run(SeeProcess()).pid
    with narrow.stream(CountUp(total=1, end=end)) as stream:
        assert next(stream).count == 0

    assert is_free(narrow)
    until(lambda: is_gone(pid))


@pytest.mark.parametrize("leaving", [PageLeft(), RuntimeError("a page's own")])
def test_an_exception_in_the_loop_stops_the_experiment(narrow, leaving):
    def read() -> None:
        for _ in narrow.stream(ENDLESS):
            raise leaving

    with pytest.raises(type(leaving)):
        read()

    assert is_free(narrow)


def test_a_stream_that_is_collected_stops(narrow):
    stream = narrow.stream(ENDLESS)
    next(stream)

    del stream
    gc.collect()

    assert is_free(narrow)


def test_an_exception_of_a_callback_stops_the_experiment(narrow, tmp_path):
    first = []

    def leave_then(seconds: float) -> None:
        if first:
            raise PageLeft

    settings = CountUp(total=2, gate=str(tmp_path))  # nobody lets it go on after the first number
    stream = narrow.stream(settings, None, Callbacks(on_run=leave_then))
    first.append(next(stream))
    with pytest.raises(PageLeft):
        next(stream)

    assert is_free(narrow)


def test_a_stream_that_was_closed_before_it_began_is_empty(narrow):
    stream = narrow.stream(ENDLESS)
    stream.close()

    assert list(stream) == []
    assert narrow.status().pools[0].running == 0


def test_stopping_again_and_again_costs_no_worker_and_its_state_is_put_back(narrow, patient):
    pid, state = narrow.run(SeeProcess()).pid, narrow.run(ReadState())

    for _ in range(5):
        with narrow.stream(ENDLESS) as stream:
            next(stream)

    assert narrow.run(SeeProcess()).pid == pid
    assert narrow.run(ReadState()) == state


def test_a_stream_waits_in_the_queue_and_reports_its_place(narrow, visitors, until, gate):
    narrow.run(MeasureAddUp())
    busy = visitors.submit(narrow.run, Wait(gate=str(gate)))
    until(lambda: narrow.status().pools[0].running == 1)
    places, threads = [], set()

    def wait(place: int) -> None:
        places.append(place)
        threads.add(threading.current_thread())
        if place == 1:
            gate.touch()

    stream = narrow.stream(CountUp(total=2), None, Callbacks(wait))

    assert counts(stream)[-1] == 1
    assert 1 in places
    assert threads == {threading.current_thread()}
    busy.result()


def test_a_cached_report_comes_without_progress(runner, tmp_path):
    note = tmp_path / "note"
    settings = CountUpOnce(total=3, gate=str(tmp_path), note=str(note))

    read = counts(runner.stream(settings), tmp_path)
    again = runner.stream(settings)

    assert read == [0, 1, 2]
    assert (counts(again), again.report) == ([], 3)
    assert runner.run(settings) == 3
    assert note.read_text() == "counted\n"


def test_two_readers_of_equal_settings_read_the_same(runner, tmp_path):
    note = tmp_path / "note"
    settings = CountUpOnce(total=2, gate=str(tmp_path), note=str(note))
    first, second = runner.stream(settings), runner.stream(settings)

    for count in range(2):
        assert next(first).count == next(second).count == count
        (tmp_path / str(count)).touch()

    assert counts(first) == counts(second) == []
    assert first.report == second.report == 2
    assert note.read_text() == "counted\n"


def test_the_second_reader_goes_on_alone_when_the_first_one_stops(runner, tmp_path):
    settings = CountUpOnce(total=30, gate=str(tmp_path))
    first, second = runner.stream(settings), runner.stream(settings)
    assert next(first).count == next(second).count == 0

    first.close()

    assert counts(second, tmp_path) == list(range(30))
    assert second.report == 30


def test_a_stream_that_is_closed_gives_nothing_that_was_reported_before():
    is_read, has_reported = threading.Event(), threading.Event()

    def work(callbacks: Callbacks) -> bytes:
        callbacks.report_progress(pickle.dumps("read"))
        is_read.wait()
        callbacks.report_progress(pickle.dumps("unread"))
        has_reported.set()
        return pickle.dumps(None)

    stream = Stream(work, NO_CALLBACKS)
    assert next(stream) == "read"
    is_read.set()
    has_reported.wait()
    stream.close()

    assert list(stream) == []


def test_inline_the_reader_gets_every_record():
    with compute.running_inline():
        stream = compute.stream(CountUp(total=50))

        assert (counts(stream), stream.report) == (list(range(50)), 50)


def test_inline_closing_stops_the_experiment(tmp_path):
    note = tmp_path / "note"

    with compute.running_inline():
        with compute.stream(CountUp(total=3, note=str(note))) as stream:
            next(stream)
        compute.run(MeasureAddUp())  # waits for the experiment to end

    assert not note.exists()
    assert torch.get_default_dtype() == torch.float32
