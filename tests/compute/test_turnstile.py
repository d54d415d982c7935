"""One measurement at a time, however many workers there are."""

import threading

import pytest

from playground.compute.progress import SILENT, Progress
from playground.compute.turnstile import Turnstile
from playground.errors import QueueFullError
from tests.compute.probe.records import MeasureWait, Wait


class PageLeft(BaseException):
    """Streamlit stops a script like this."""


def test_measurements_never_overlap_though_two_workers_are_free(runner, visitors, until, gate):
    places = []
    settings, progress = MeasureWait(gate=str(gate)), Progress(places.append)
    tasks = [visitors.submit(runner.run, settings, None, progress) for _ in range(4)]
    until(lambda: {1, 2, 3} <= set(places))
    until(lambda: runner.status().lanes[0].running == 1)
    gate.open()

    times = sorted(task.result() for task in tasks)

    assert all(end <= begin for (_, end), (begin, _) in zip(times, times[1:], strict=False))


def test_other_experiments_do_not_wait_for_a_measurement(runner, visitors, until, gate):
    measuring = visitors.submit(runner.run, MeasureWait(gate=str(gate)))
    until(lambda: runner.status().lanes[0].running == 1)

    runner.run(Wait())

    assert not measuring.done()
    gate.open()
    measuring.result()


def test_who_waits_is_told_the_place_and_may_leave(runner, visitors, until, gate):
    measuring = visitors.submit(runner.run, MeasureWait(gate=str(gate)))
    until(lambda: runner.status().lanes[0].running == 1)
    places = []

    def note(place: int) -> None:
        places.append(place)
        raise PageLeft

    with pytest.raises(PageLeft):
        runner.run(MeasureWait(), None, Progress(note))

    assert places == [1]
    assert not measuring.done()
    gate.open()
    measuring.result()
    runner.run(MeasureWait())


def test_a_measurement_that_fails_lets_the_next_one_pass():
    turnstile = Turnstile()

    for _ in range(2):
        with pytest.raises(ValueError, match="torch said no"), turnstile.passing(SILENT):
            raise ValueError("torch said no")


def test_they_pass_in_the_order_in_which_they_came(visitors, until):
    turnstile, passed, places = Turnstile(), [], {2: [], 3: []}

    def measure(number: int) -> None:
        with turnstile.passing(Progress(places[number].append)):
            passed.append(number)

    with turnstile.passing(SILENT):
        second = visitors.submit(measure, 2)
        until(lambda: places[2])
        third = visitors.submit(measure, 3)
        until(lambda: places[3])
        passed.append(1)
    second.result()
    third.result()

    assert passed == [1, 2, 3]
    assert set(places[2]) == {1}
    assert places[3][0] == 2


def test_who_leaves_makes_room_for_those_behind(visitors, until):
    turnstile, places, has_left = Turnstile(), [], threading.Event()

    def note(place: int) -> None:
        places.append(place)

    def wait() -> None:
        with turnstile.passing(Progress(note)):
            pass

    def leave_later(place: int) -> None:
        has_left.wait()
        raise PageLeft

    def leaving() -> None:
        with pytest.raises(PageLeft), turnstile.passing(Progress(leave_later)):
            pass

    with turnstile.passing(SILENT):
        first = visitors.submit(leaving)
        until(lambda: len(turnstile._line) == 2)
        second = visitors.submit(wait)
        until(lambda: 2 in places)
        has_left.set()
        first.result()
        until(lambda: places[-1] == 1)
    second.result()


def test_a_full_line_answers_at_once(visitors, until):
    turnstile = Turnstile(most_waiting=1)

    def wait() -> None:
        with turnstile.passing(SILENT):
            pass

    with turnstile.passing(SILENT):
        waiting = visitors.submit(wait)
        until(lambda: len(turnstile._line) == 2)
        with pytest.raises(QueueFullError) as told, turnstile.passing(SILENT):
            pass

    assert told.value.values == {"place": 2}
    waiting.result()
