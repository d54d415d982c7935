import threading

import pytest

from playground.errors import SandboxBusyError
from playground.sandbox.jail.line import Line


def test_who_came_first_gets_through_first() -> None:
    line, order, inside = Line(1, 10), [], threading.Event()

    def come(name: str) -> None:
        with line.turn():
            order.append(name)

    threads = []
    with line.turn():
        for number, name in enumerate("abc", 1):
            threads.append(threading.Thread(target=come, args=(name,)))
            threads[-1].start()
            while line.waiting < number:
                inside.wait(0.001)
    for thread in threads:
        thread.join()

    assert order == ["a", "b", "c"]


def test_a_full_line_refuses_and_says_how_many_wait() -> None:
    line = Line(1, 0)

    with line.turn(), pytest.raises(SandboxBusyError) as refused, line.turn():
        pass

    assert refused.value.values == {"waiting": 0}


def test_a_turn_that_fails_is_over() -> None:
    line = Line(1, 0)

    with pytest.raises(KeyError), line.turn():
        raise KeyError

    with line.turn():
        assert line.waiting == 0
