"""A child that is forked and warms up before its job comes is a child like any other."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from playground.sandbox.jail.request import Request
from tests.sandbox.conftest import PATIENT
from tests.sandbox.jail.conftest import children, is_alive, started_zygote, state_of
from tests.waiting import wait_until


@pytest.fixture
def zygote(needs_kernel):
    with started_zygote(
        report="prefork_tasks:report", stay="prefork_tasks:answer_and_stay"
    ) as made:
        yield made


def preforked_of(zygote):
    """The only child, once it sleeps: its warm-up is over."""

    def alone():
        pids = children(zygote.pid)
        return pids if len(pids) == 1 and state_of(pids[0]) == "S" else []

    return wait_until(alone)[0]


def report(zygote):
    return zygote.run(Request(task="report", limits=PATIENT), b"{}", b"abc").value


def test_the_preforked_child_takes_the_job_and_a_new_one_comes(zygote):
    runs = [(preforked_of(zygote), report(zygote)) for _ in range(3)]

    assert [value for _, value in runs] == [
        {"steps": [0, 1, 2], "pid": pid, "read": 3} for pid, _ in runs
    ]
    assert len({pid for pid, _ in runs}) == 3


def test_many_at_once_have_a_child_each(zygote):
    with ThreadPoolExecutor(12) as threads:
        values = list(threads.map(lambda _: report(zygote), range(12)))

    assert len({value["pid"] for value in values if value}) == 12


def test_a_preforked_child_that_died_is_replaced(zygote):
    dead = preforked_of(zygote)
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: not is_alive(dead))

    assert report(zygote)["pid"] != dead
    wait_until(lambda: dead not in children(zygote.pid))


def test_a_child_that_has_answered_is_ended(zygote):
    pid = preforked_of(zygote)
    answer = zygote.run(Request(task="stay", limits=PATIENT), b"{}", b"")

    assert answer.value == {}
    assert answer.elapsed_seconds < PATIENT.wall_seconds
    wait_until(lambda: not is_alive(pid))


def test_a_preforked_child_holds_nothing_open_and_ends_with_its_zygote(zygote):
    pid = preforked_of(zygote)
    open_there = {int(path.name) for path in Path(f"/proc/{pid}/fd").iterdir()}
    os.kill(zygote.pid, signal.SIGKILL)

    assert len(open_there) <= 5  # three of every process, its socket, and what it waits with
    wait_until(lambda: not is_alive(pid))
