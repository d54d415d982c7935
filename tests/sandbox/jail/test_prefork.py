"""A child that is forked and warms up before its job comes is a child like any other."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from playground.sandbox.jail.request import Request
from playground.sandbox.jail.zygote_process import ZygoteProcess
from tests.sandbox.conftest import PATIENT
from tests.sandbox.jail.test_jail import children, is_alive
from tests.waiting import wait_until

HOME = "tests.sandbox.jail.prefork_tasks"
REPORT = Request(task="report", limits=PATIENT)


@pytest.fixture
def zygote_process(needs_kernel: None) -> Iterator[ZygoteProcess]:
    made = ZygoteProcess({"report": f"{HOME}:report", "stay": f"{HOME}:answer_and_stay"})
    made.wait_until_ready()
    yield made
    made.end()


def is_waiting(pid: int) -> bool:
    """It sleeps: its warm-up is over."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "S"
    except (FileNotFoundError, ProcessLookupError):  # one that had answered
        return False


def preforked_of(zygote_process: ZygoteProcess) -> int:
    def alone() -> list[int]:
        pids = children(zygote_process.pid)
        return pids if len(pids) == 1 and is_waiting(pids[0]) else []

    wait_until(alone)
    return alone()[0]


def test_the_preforked_child_takes_the_job_and_a_new_one_comes(
    zygote_process: ZygoteProcess,
) -> None:
    pids, values = [], []
    for _ in range(3):
        pids.append(preforked_of(zygote_process))
        values.append(zygote_process.run(REPORT, b"{}", b"abc").value)

    assert values == [{"steps": [0, 1, 2], "pid": pid, "read": 3} for pid in pids]
    assert len(set(pids)) == 3


def test_many_at_once_have_a_child_each(zygote_process: ZygoteProcess) -> None:
    with ThreadPoolExecutor(12) as threads:
        values = list(
            threads.map(lambda _: zygote_process.run(REPORT, b"{}", b"").value, range(12))
        )

    assert len({value["pid"] for value in values if value}) == 12


def test_a_preforked_child_that_died_is_replaced(zygote_process: ZygoteProcess) -> None:
    dead = preforked_of(zygote_process)
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: not is_alive(dead))

    value = zygote_process.run(REPORT, b"{}", b"").value

    assert value
    assert value["pid"] != dead
    wait_until(lambda: dead not in children(zygote_process.pid))


def test_a_child_that_has_answered_is_ended(zygote_process: ZygoteProcess) -> None:
    pid = preforked_of(zygote_process)
    answer = zygote_process.run(Request(task="stay", limits=PATIENT), b"{}", b"")

    assert answer.value == {}
    assert answer.elapsed_seconds < PATIENT.wall_seconds
    wait_until(lambda: not is_alive(pid))


def test_a_preforked_child_holds_nothing_open_and_ends_with_its_zygote(
    zygote_process: ZygoteProcess,
) -> None:
    pid = preforked_of(zygote_process)
    open_there = {int(path.name) for path in Path(f"/proc/{pid}/fd").iterdir()}
    os.kill(zygote_process.pid, signal.SIGKILL)

    assert len(open_there) <= 5  # three of every process, its socket, and what it waits with
    wait_until(lambda: not is_alive(pid))
