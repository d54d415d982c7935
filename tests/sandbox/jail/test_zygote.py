import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from playground.errors import SandboxClosedError
from playground.sandbox.jail import Jail, resources
from playground.sandbox.jail import zygote as zygote_module
from playground.sandbox.jail.request import Descriptors, Request, ZygoteLostError
from playground.sandbox.jail.zygote import Zygote
from tests.sandbox.conftest import PATIENT
from tests.sandbox.jail.conftest import children, is_alive, started_zygote, state_of
from tests.sandbox.jail.late_thread_task import nothing
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("needs_kernel")
PID = "light_tasks:pid"
NOTHING = Request(task="nothing", limits=PATIENT)


@contextmanager
def jail_of(self_test):
    jail = Jail({"self_test": f"tests.sandbox.jail.{self_test}"})
    try:
        yield jail
    finally:
        jail.stop()


@pytest.mark.parametrize(
    ("task", "because"),
    [
        ("threaded_task:self_test", "^the zygote has 2 threads, so a fork of it could hang$"),
        ("no_such_module:x", "No module named 'tests.sandbox.jail.no_such_module'"),
        (PID, "^a child computes wrongly: "),  # one that does nothing proves nothing
    ],
)
def test_a_jail_stays_closed_and_says_why(task, because):
    with jail_of(task) as jail:
        with pytest.raises(SandboxClosedError):
            jail.run("self_test", {})
        found = jail.preflight()

    assert not found.ok
    assert re.search(because, str(found.closed_because))


def test_a_zygote_that_gets_a_second_thread_refuses_to_fork():
    with started_zygote(nothing="late_thread_task:nothing") as zygote:
        assert zygote.wait_until_ready()["threads"] == 1
        assert zygote.run(NOTHING, b"{}", b"").value == {}

        os.kill(zygote.pid, signal.SIGUSR1)
        wait_until(lambda: len(list(Path(f"/proc/{zygote.pid}/task").iterdir())) > 1)
        with pytest.raises(ZygoteLostError) as lost:
            zygote.run(NOTHING, b"{}", b"")

    assert lost.value.is_begun


def test_a_child_whose_zygote_died_before_its_first_step_does_nothing():
    """Its parent is another process then, and the signal of that parent's end would never come."""
    null = os.open(os.devnull, os.O_RDWR)
    read, write = os.pipe()
    zygote_pid = os.fork()
    if zygote_pid == 0:
        ends = Descriptors(control=null, result=write, output=null, arguments=null, data=null)
        request = replace(NOTHING, layers=())
        _fork_and_die(Zygote({"nothing": nothing}, [], None), request, ends)
    os.close(write)
    os.waitpid(zygote_pid, 0)
    os.close(null)

    with os.fdopen(read, "rb") as result:
        assert result.read() == b""


def _fork_and_die(zygote: Zygote, request: Request, ends: Descriptors) -> NoReturn:
    """Be a zygote that is killed right after its fork; its child goes on only then."""
    fork, zygote_pid = os.fork, os.getpid()

    def fork_once() -> int:
        if fork():
            os._exit(0)
        wait_until(lambda: os.getppid() != zygote_pid)
        return 0

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fork", fork_once)
            patch.setattr(zygote_module, "threads", lambda: 1)
            zygote._fork(request, ends, None)
    finally:
        os._exit(1)


def test_a_zygote_that_died_meanwhile_has_not_begun_the_job():
    with started_zygote(nothing=PID) as zygote:
        zygote.kill()
        zygote._process.wait()
        with pytest.raises(ZygoteLostError) as lost:
            zygote.run(NOTHING, b"{}", b"")

    assert not lost.value.is_begun  # so it can be given to the next one


def test_a_jail_that_was_stopped_can_be_used_again_and_says_so_meanwhile():
    with jail_of(PID) as jail:
        jail.stop()
        jail.stop()
        assert jail.preflight().closed_because != "the jail was stopped"


@pytest.fixture
def preforking():
    """A zygote whose children are forked, and warm up, before their job comes."""
    tasks = {"report": "prefork_tasks:report", "stay": "prefork_tasks:answer_and_stay"}
    with started_zygote(**tasks) as made:
        yield made


def preforked_of(preforking):
    """The only child, once it sleeps: its warm-up is over."""

    def alone():
        pids = children(preforking.pid)
        return pids if len(pids) == 1 and state_of(pids[0]) == "S" else []

    return wait_until(alone)[0]


def report(preforking):
    return preforking.run(Request(task="report", limits=PATIENT), b"{}", b"abc").value


def test_the_preforked_child_takes_the_job_and_a_new_one_comes(preforking):
    runs = [(preforked_of(preforking), report(preforking)) for _ in range(3)]

    assert [value for _, value in runs] == [
        {"steps": [0, 1, 2], "pid": pid, "read": 3} for pid, _ in runs
    ]
    assert len({pid for pid, _ in runs}) == 3


def test_many_at_once_have_a_child_each(preforking):
    with ThreadPoolExecutor(12) as threads:
        values = list(threads.map(lambda _: report(preforking), range(12)))
    assert len({value["pid"] for value in values if value}) == 12


def test_a_preforked_child_that_died_is_replaced(preforking):
    dead = preforked_of(preforking)
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: not is_alive(dead))

    assert report(preforking)["pid"] != dead
    wait_until(lambda: dead not in children(preforking.pid))


def test_a_child_that_has_answered_is_ended(preforking):
    pid = preforked_of(preforking)
    answer = preforking.run(Request(task="stay", limits=PATIENT), b"{}", b"")

    assert answer.value == {}
    assert answer.elapsed_seconds < PATIENT.wall_seconds
    wait_until(lambda: not is_alive(pid))


def test_a_preforked_child_holds_nothing_open_and_ends_with_its_zygote(preforking):
    pid = preforked_of(preforking)
    open_there = {int(path.name) for path in Path(f"/proc/{pid}/fd").iterdir()}
    os.kill(preforking.pid, signal.SIGKILL)

    assert len(open_there) <= 5  # three of every process, its socket, and what it waits with
    wait_until(lambda: not is_alive(pid))


def test_what_a_process_has_computed_is_known_to_its_parent():
    before, used = resources.computed_seconds(os.getpid()), time.thread_time()
    sum(range(3_000_000))

    assert resources.computed_seconds(os.getpid()) - before >= (time.thread_time() - used) / 2
    assert resources.computed_seconds(2**22 + 1) == 0.0  # no process has this number
