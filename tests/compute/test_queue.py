import threading
import time

import pytest

from playground.compute.progress import Progress
from playground.errors import QueueFullError
from tests.compute.conftest import Gate
from tests.compute.probe.records import MeasureAddUp, Wait

HOUR = 3600.0


class PageLeft(BaseException):
    """Streamlit stops a script like this: with what no ``except Exception`` catches."""


def wait_running(runner, until, running=1, waiting=0):
    until(
        lambda: (
            [(lane.running, lane.waiting) for lane in runner.status().lanes] == [(running, waiting)]
        )
    )


@pytest.fixture
def busy(narrow, visitors, until, gate):
    """A task that has the only worker until the gate is opened."""
    narrow.run(MeasureAddUp())
    running = visitors.submit(narrow.run, Wait(gate=str(gate)), 2 * HOUR)
    wait_running(narrow, until)
    yield running
    gate.open()
    running.result()


def test_who_waits_is_told_the_place_and_moves_up(narrow, busy, visitors, until, gate, tmp_path):
    places = {"second": [], "third": []}
    second_gate = Gate(tmp_path / "second")

    second = visitors.submit(
        narrow.run, Wait(gate=str(second_gate)), None, Progress(places["second"].append)
    )
    wait_running(narrow, until, waiting=1)
    third = visitors.submit(narrow.run, Wait(), None, Progress(places["third"].append))
    until(lambda: places["second"] and places["third"])
    gate.open()
    until(lambda: 1 in places["third"])
    second_gate.open()

    assert second.result() == third.result()
    assert set(places["second"]) == {1}
    assert sorted(places["third"], reverse=True) == places["third"]
    assert set(places["third"]) == {1, 2}


def test_a_full_queue_answers_at_once_with_the_place(narrow, busy, visitors, until, gate):
    tasks = [visitors.submit(narrow.run, Wait()) for _ in range(3)]
    wait_running(narrow, until, waiting=3)

    with pytest.raises(QueueFullError) as told:
        narrow.run(Wait())

    assert (told.value.key, told.value.values) == ("queue_full", {"place": 4})
    gate.open()
    assert {task.result() for task in tasks} == {busy.result()}


def test_a_visitor_who_leaves_the_queue_takes_the_task_along(narrow, busy, gate, tmp_path):
    def leave(place: int) -> None:
        raise PageLeft

    note = tmp_path / "note"

    with pytest.raises(PageLeft):
        narrow.run(Wait(note=str(note)), None, Progress(leave))

    assert narrow.status().lanes[0].waiting == 0
    gate.open()
    busy.result()
    assert narrow.run(MeasureAddUp(count=3)).total == 3
    assert not note.exists()


def test_waiting_does_not_count_as_running_time(
    narrow, busy, visitors, gate, tmp_path, monkeypatch
):
    waits, passed, own_gate = threading.Event(), [0.0], Gate(tmp_path / "own")
    for name in ("time", "monotonic"):
        clock = getattr(time, name)
        monkeypatch.setattr(time, name, lambda clock=clock: clock() + passed[0])

    progress = Progress(lambda _: waits.set(), lambda _: own_gate.open())
    task = visitors.submit(narrow.run, Wait(gate=str(own_gate)), 60.0, progress)
    assert waits.wait(300)
    passed[0] = HOUR
    gate.open()

    assert task.result() == busy.result()


def test_on_wait_is_called_from_the_calling_thread(narrow, busy, gate):
    threads = set()

    def let_on(place: int) -> None:
        threads.add(threading.current_thread())
        gate.open()

    narrow.run(Wait(), None, Progress(let_on))

    assert threads == {threading.current_thread()}


@pytest.mark.parametrize("leaving", [PageLeft(), RuntimeError("a page's own"), OSError(5, "gone")])
def test_a_visitor_who_leaves_a_running_task_ends_it(narrow, gate, leaving):
    told = []

    def leave(seconds: float) -> None:
        told.append(seconds)
        if len(told) == 2:
            raise leaving

    with pytest.raises(type(leaving)) as raised:
        narrow.run(Wait(gate=str(gate)), None, Progress(on_run=leave))

    assert raised.value is leaving
    assert told == sorted(told)
    assert narrow.run(MeasureAddUp(count=3)).total == 3
    assert narrow.status().lanes[0].running == 0
