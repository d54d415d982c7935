import threading
from collections.abc import Callable

import pytest

from playground.compute.fair_queue import FairQueue
from playground.compute.streaming import Callbacks
from playground.errors import QueueFullError, SandboxBusyError
from tests.compute.conftest import PageLeft
from tests.compute.probe.records import MeasureWait, Wait


@pytest.fixture
def queue():
    return FairQueue(range(1), max_waiting=8)


def take_turn(queue: FairQueue[int], *report_place: Callable[[int], None]) -> None:
    with queue.turn(*report_place):
        pass


def test_a_turn_that_fails_lets_the_next_one_pass(queue):
    for _ in range(2):
        with pytest.raises(ValueError, match="torch said no"), queue.turn():
            raise ValueError("torch said no")
    with queue.turn():
        assert queue.waiting == 0


def test_callers_pass_in_the_order_of_their_arrival(queue, visitors, until):
    passed, places = [], {2: [], 3: []}

    def measure(number: int) -> None:
        with queue.turn(places[number].append):
            passed.append(number)

    with queue.turn():
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


def test_a_caller_that_leaves_makes_room_for_those_behind(queue, visitors, until):
    places, has_left = [], threading.Event()

    def leave_later(place: int) -> None:
        has_left.wait()
        raise PageLeft

    with queue.turn():
        first = visitors.submit(take_turn, queue, leave_later)
        until(lambda: queue.waiting == 1)
        second = visitors.submit(take_turn, queue, places.append)
        until(lambda: 2 in places)
        has_left.set()
        with pytest.raises(PageLeft):
            first.result()
        until(lambda: places[-1] == 1)
    second.result()


def test_a_full_queue_refuses_at_once_with_the_place(visitors, until):
    queue = FairQueue(range(1), max_waiting=1)

    with queue.turn():
        waiting = visitors.submit(take_turn, queue)
        until(lambda: queue.waiting == 1)
        with pytest.raises(QueueFullError) as refused, queue.turn():
            pass

    assert refused.value.values == {"place": 2}
    waiting.result()


def test_a_queue_in_which_nobody_may_wait_refuses_with_its_own_error():
    def refuse(waiting: int) -> SandboxBusyError:
        return SandboxBusyError("sandbox_busy", waiting=waiting)

    queue = FairQueue(range(1), max_waiting=0, refuse=refuse)

    with queue.turn(), pytest.raises(SandboxBusyError) as refused, queue.turn():
        pass

    assert refused.value.values == {"waiting": 0}
    assert queue.waiting == 0
    with queue.turn() as permit:
        assert permit == 0


def test_an_exclusive_caller_waits_for_all_others_and_they_wait_for_it(visitors, until):
    queue = FairQueue(range(2), max_waiting=8)
    places = []
    shared = queue.acquire()
    exclusive = visitors.submit(queue.acquire, is_exclusive=True)
    until(lambda: queue.waiting == 1)
    later = visitors.submit(queue.acquire, places.append)
    until(lambda: places)
    assert (places[0], len(queue.free), queue.is_exclusive) == (2, 1, False)

    queue.release(shared)
    permit = exclusive.result()
    assert (len(queue.free), queue.is_exclusive, later.done()) == (1, True, False)

    queue.release(permit)
    queue.release(later.result())
    assert sorted(queue.free) == [0, 1]


def test_an_added_item_goes_to_the_first_caller_and_a_worn_one_leaves(visitors, until):
    queue: FairQueue[str] = FairQueue(max_waiting=1)
    caller = visitors.submit(queue.acquire)
    until(lambda: queue.waiting == 1)

    queue.add("item")

    assert caller.result() == "item"
    queue.release("item", is_reusable=False)
    assert queue.free == queue.busy == []


def test_measurements_never_overlap_and_hold_up_nothing_else(runner, visitors, until, gate):
    places = []
    settings, progress = MeasureWait(gate=str(gate)), Callbacks(places.append)
    tasks = [visitors.submit(runner.run, settings, None, progress) for _ in range(4)]
    until(lambda: {1, 2, 3} <= set(places))
    until(lambda: runner.status().pools[0].running == 1)
    runner.run(Wait())
    gate.touch()

    times = sorted(task.result() for task in tasks)

    assert all(end <= begin for (_, end), (begin, _) in zip(times, times[1:], strict=False))
