import threading
from pathlib import Path

import pytest

from playground.compute.progress import Progress
from playground.errors import QueueFullError
from tests.compute.probe.records import MeasureAddUp, Rest


class PageLeft(BaseException):
    """Streamlit stops a script like this: with what no ``except Exception`` catches."""


def wait_running(runner, until, running=1, waiting=0):
    until(
        lambda: (
            [(lane.running, lane.waiting) for lane in runner.status().lanes] == [(running, waiting)]
        )
    )


def test_who_waits_is_told_the_place_and_moves_up(narrow, visitors, until):
    narrow.run(MeasureAddUp())
    first = visitors.submit(narrow.run, Rest(seconds=0.6))
    wait_running(narrow, until)
    places = {"second": [], "third": []}

    second = visitors.submit(narrow.run, Rest(seconds=0.6), None, Progress(places["second"].append))
    wait_running(narrow, until, waiting=1)
    third = visitors.submit(narrow.run, Rest(seconds=0), None, Progress(places["third"].append))

    assert [task.result() for task in (first, second, third)] == [0.6, 0.6, 0]
    assert set(places["second"]) == {1}
    assert sorted(places["third"], reverse=True) == places["third"]
    assert set(places["third"]) == {1, 2}


def test_a_full_queue_answers_at_once_with_the_place(narrow, visitors, until):
    narrow.run(MeasureAddUp())
    tasks = [visitors.submit(narrow.run, Rest(seconds=0.3)) for _ in range(4)]
    wait_running(narrow, until, waiting=3)

    with pytest.raises(QueueFullError) as told:
        narrow.run(Rest(seconds=0))

    assert (told.value.key, told.value.values) == ("queue_full", {"place": 4})
    assert [task.result() for task in tasks] == [0.3] * 4


def test_a_visitor_who_leaves_the_queue_takes_the_task_along(narrow, visitors, until, tmp_path):
    def leave(place: int) -> None:
        raise PageLeft

    note = tmp_path / "note"
    narrow.run(MeasureAddUp())
    busy = visitors.submit(narrow.run, Rest(seconds=0.6))
    wait_running(narrow, until)

    with pytest.raises(PageLeft):
        narrow.run(Rest(note=str(note)), None, Progress(leave))

    busy.result()
    assert narrow.run(MeasureAddUp(count=3)).total == 3
    assert narrow.status().lanes[0].waiting == 0
    assert not Path(note).exists()


def test_waiting_does_not_count_as_running_time(narrow, visitors, until):
    narrow.run(MeasureAddUp())
    busy = visitors.submit(narrow.run, Rest(seconds=1.0))
    wait_running(narrow, until)

    assert narrow.run(Rest(seconds=0), timeout=0.8) == 0

    busy.result()


def test_on_wait_is_called_from_the_calling_thread(narrow, visitors, until):
    narrow.run(MeasureAddUp())
    busy = visitors.submit(narrow.run, Rest(seconds=0.6))
    wait_running(narrow, until)
    threads = set()

    narrow.run(Rest(seconds=0), None, Progress(lambda _: threads.add(threading.current_thread())))

    assert threads == {threading.current_thread()}
    busy.result()


@pytest.mark.parametrize("leaving", [PageLeft(), RuntimeError("a page's own"), OSError(5, "gone")])
def test_a_visitor_who_leaves_a_running_task_ends_it(narrow, leaving):
    told = []

    def leave(seconds: float) -> None:
        told.append(seconds)
        if len(told) == 2:
            raise leaving

    with pytest.raises(type(leaving)) as raised:
        narrow.run(Rest(seconds=15), None, Progress(on_run=leave))

    assert raised.value is leaving
    assert told == sorted(told)
    assert narrow.run(MeasureAddUp(count=3)).total == 3
    assert narrow.status().lanes[0].running == 0
