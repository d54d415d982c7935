"""A child that is forked and rehearses before its job comes is a child like any other."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from playground.sandbox.jail.keeper import Keeper
from playground.sandbox.jail.request import Request
from tests.sandbox.conftest import PATIENT
from tests.sandbox.jail.test_hosting import children, is_alive
from tests.waiting import wait_until

HOME = "tests.sandbox.jail.rehearsed"
TELL = Request(task="tell", limits=PATIENT)


@pytest.fixture
def keeper(needs_kernel: None) -> Iterator[Keeper]:
    made = Keeper({"tell": f"{HOME}:tell", "stay": f"{HOME}:answer_and_stay"})
    made.wait_until_ready()
    yield made
    made.end()


def is_waiting(pid: int) -> bool:
    """It sleeps: its rehearsal is over."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "S"
    except (FileNotFoundError, ProcessLookupError):  # one that had answered
        return False


def spare_of(keeper: Keeper) -> int:
    def alone() -> list[int]:
        pids = children(keeper.pid)
        return pids if len(pids) == 1 and is_waiting(pids[0]) else []

    wait_until(alone)
    return alone()[0]


def test_the_spare_child_takes_the_job_and_a_new_one_comes(keeper: Keeper) -> None:
    spares, told = [], []
    for _ in range(3):
        spares.append(spare_of(keeper))
        told.append(keeper.perform(TELL, b"{}", b"abc").value)

    assert told == [{"steps": [0, 1, 2], "pid": pid, "read": 3} for pid in spares]
    assert len(set(spares)) == 3


def test_many_at_once_have_a_child_each(keeper: Keeper) -> None:
    with ThreadPoolExecutor(12) as threads:
        values = list(threads.map(lambda _: keeper.perform(TELL, b"{}", b"").value, range(12)))

    assert len({value["pid"] for value in values if value}) == 12


def test_a_spare_child_that_died_is_replaced(keeper: Keeper) -> None:
    dead = spare_of(keeper)
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: not is_alive(dead))

    value = keeper.perform(TELL, b"{}", b"").value

    assert value
    assert value["pid"] != dead
    wait_until(lambda: dead not in children(keeper.pid))


def test_who_has_answered_is_ended(keeper: Keeper) -> None:
    pid = spare_of(keeper)
    answer = keeper.perform(Request(task="stay", limits=PATIENT), b"{}", b"")

    assert answer.value == {}
    assert answer.elapsed_seconds < PATIENT.wall_seconds
    wait_until(lambda: not is_alive(pid))


def test_a_spare_child_holds_nothing_open_and_ends_with_its_zygote(keeper: Keeper) -> None:
    pid = spare_of(keeper)
    open_there = {int(path.name) for path in Path(f"/proc/{pid}/fd").iterdir()}
    os.kill(keeper.pid, signal.SIGKILL)

    assert len(open_there) <= 5  # three of every process, its socket, and what it waits with
    wait_until(lambda: not is_alive(pid))
