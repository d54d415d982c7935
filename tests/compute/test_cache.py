import threading

import pytest

from playground.compute.cache import ReportCache, cache_key
from playground.compute.streaming import NO_CALLBACKS, Callbacks
from playground.errors import ExperimentCrashedError, ExperimentTimedOutError, QueueFullError
from playground.machines import Machine
from tests.compute.probe.records import AddUp, MeasureAddUp, Wait, WaitOnce


def test_equal_settings_at_the_same_time_are_computed_once(runner, visitors, until, gate, tmp_path):
    note, callers = tmp_path / "note", set()
    settings = WaitOnce(gate=str(gate), note=str(note))

    def run() -> int:
        me = threading.current_thread()
        return runner.run(settings, None, Callbacks(on_run=lambda _: callers.add(me)))

    tasks = [visitors.submit(run) for _ in range(6)]
    until(lambda: len(callers) == 6)
    gate.open()

    assert len({task.result() for task in tasks}) == 1
    assert note.read_text() == "ran\n"


def test_measurements_are_never_cached(runner, tmp_path):
    note = tmp_path / "note"

    for _ in range(3):
        runner.run(Wait(note=str(note)))

    assert note.read_text() == "ran\n" * 3


def test_settings_are_distinguished_by_class_and_exact_value():
    settings = [
        AddUp(count=1),
        AddUp(count=True),
        AddUp(count=0.0),
        AddUp(count=-0.0),
        AddUp(machine=Machine(gpus=3), count=1),
        MeasureAddUp(count=1),
    ]

    assert len({cache_key(each) for each in settings}) == len(settings)
    assert cache_key(AddUp(count=1)) == cache_key(AddUp(count=1.0))  # one and the same setting


def test_the_least_recently_used_report_leaves_first():
    cache = ReportCache(max_reports=2)
    computed = []

    def fetch(key: str) -> None:
        cache.fetch(key, lambda _: computed.append(key) or b"report", NO_CALLBACKS)

    for key in ("a", "b", "a", "c", "a", "b"):
        fetch(key)

    assert computed == ["a", "b", "c", "b"]
    assert len(cache) == 2


def test_the_cache_is_bounded_in_bytes():
    cache = ReportCache(max_bytes=100)

    for key in range(10):
        cache.fetch(key, lambda _: b"x" * 40, NO_CALLBACKS)
    cache.fetch("too large", lambda _: b"x" * 101, NO_CALLBACKS)

    assert (len(cache), cache.size_bytes) == (2, 80)


def test_an_error_is_not_cached():
    cache = ReportCache()

    def crash(callbacks) -> bytes:
        raise ExperimentCrashedError("crashed")

    with pytest.raises(ExperimentCrashedError):
        cache.fetch("key", crash, NO_CALLBACKS)

    assert cache.fetch("key", lambda _: b"fine", NO_CALLBACKS) == b"fine"


def test_all_who_wait_for_a_failure_get_the_same_error(visitors, until):
    cache = ReportCache()
    begun = []

    def time_out(callbacks) -> bytes:
        begun.append(1)
        callbacks.report_wait(1)
        until(lambda: len(places) > 0)
        raise ExperimentTimedOutError("timed_out", seconds=3)

    places: list[int] = []
    leader = visitors.submit(cache.fetch, "key", time_out, NO_CALLBACKS)
    until(lambda: begun)
    follower = visitors.submit(cache.fetch, "key", time_out, Callbacks(places.append))

    for task in (leader, follower):
        with pytest.raises(ExperimentTimedOutError) as raised:
            task.result()
        assert raised.value.values == {"seconds": 3}
    assert len(begun) == 1
    assert set(places) == {1}


@pytest.mark.parametrize("leaving", [KeyboardInterrupt(), QueueFullError("queue_full", place=4)])
def test_a_caller_computes_alone_when_the_one_it_waited_for_left(visitors, until, leaving):
    cache = ReportCache()
    begun = []

    def leave(callbacks) -> bytes:
        begun.append(1)
        callbacks.report_wait(1)
        until(lambda: len(places) > 0)
        raise leaving

    places: list[int] = []
    leader = visitors.submit(cache.fetch, "key", leave, NO_CALLBACKS)
    until(lambda: begun)
    follower = visitors.submit(cache.fetch, "key", lambda _: b"mine", Callbacks(places.append))

    with pytest.raises(type(leaving)):
        leader.result()
    assert follower.result() == b"mine"


def test_a_report_belongs_to_its_caller(runner):
    first, second = runner.run(AddUp(count=7)), runner.run(AddUp(count=7))

    assert first == second
    assert first is not second
