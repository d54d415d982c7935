import threading

import pytest

from playground.compute.cache import ReportCache, cache_key
from playground.compute.streaming import NO_CALLBACKS, Callbacks
from playground.errors import ExperimentTimedOutError, QueueFullError
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
    gate.touch()

    assert len({task.result() for task in tasks}) == 1
    assert note.read_text() == "ran\n"


def test_measurements_are_never_cached(runner, tmp_path):
    note = tmp_path / "note"

    for _ in range(3):
        runner.run(Wait(note=str(note)))

    assert note.read_text() == "ran\n" * 3


def test_settings_are_distinguished_by_class_and_exact_value():
    settings = [AddUp(count=each) for each in (1, True, 0.0, -0.0)]
    settings += [AddUp(machine=Machine(gpus=3), count=1), MeasureAddUp(count=1)]

    assert len({cache_key(each) for each in settings}) == len(settings)
    assert cache_key(AddUp(count=1)) == cache_key(AddUp(count=1.0))  # one and the same setting


def test_the_least_recently_used_report_leaves_first():
    cache, computed = ReportCache(max_reports=2), []

    for key in ("a", "b", "a", "c", "a", "b"):
        cache.fetch(key, lambda _, key=key: computed.append(key) or b"report", NO_CALLBACKS)

    assert computed == ["a", "b", "c", "b"]
    assert len(cache) == 2


def test_the_cache_is_bounded_in_bytes():
    cache = ReportCache(max_bytes=100)

    for key in range(10):
        cache.fetch(key, lambda _: b"x" * 40, NO_CALLBACKS)
    cache.fetch("too large", lambda _: b"x" * 101, NO_CALLBACKS)

    assert (len(cache), cache.size_bytes) == (2, 80)


@pytest.fixture
def fetch_twice(visitors, until):
    """Fetch what fails once another visitor waits for it, and would compute it too."""

    def fetch(cache, error):
        begun, places, computed = [], [], []

        def fail(callbacks) -> bytes:
            begun.append(1)
            callbacks.report_wait(1)
            until(lambda: places)
            raise error

        first = visitors.submit(cache.fetch, "key", fail, NO_CALLBACKS)
        until(lambda: begun)
        second = visitors.submit(
            cache.fetch, "key", lambda _: computed.append(1) or b"mine", Callbacks(places.append)
        )
        with pytest.raises(type(error)) as raised:
            first.result()
        assert raised.value.args == error.args
        assert set(places) == {1}
        return second, computed

    return fetch


def test_all_who_wait_for_a_failure_get_the_same_error_and_it_is_not_cached(fetch_twice):
    cache = ReportCache()
    second, computed = fetch_twice(cache, ExperimentTimedOutError("timed_out", seconds=3))

    with pytest.raises(ExperimentTimedOutError) as raised:
        second.result()

    assert raised.value.values == {"seconds": 3}
    assert not computed
    assert cache.fetch("key", lambda _: b"fine", NO_CALLBACKS) == b"fine"


@pytest.mark.parametrize("leaving", [KeyboardInterrupt(), QueueFullError("queue_full", place=4)])
def test_a_caller_computes_alone_when_the_one_it_waited_for_left(fetch_twice, leaving):
    second, _ = fetch_twice(ReportCache(), leaving)
    assert second.result() == b"mine"


def test_a_report_belongs_to_its_caller(runner):
    first, second = runner.run(AddUp(count=7)), runner.run(AddUp(count=7))

    assert first == second
    assert first is not second
