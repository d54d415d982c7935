"""The zygote refuses to fork where a fork could hang, and says why it did not start."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from playground.errors import SandboxClosedError
from playground.sandbox.jail import Jail
from playground.sandbox.jail import zygote as zygote_module
from playground.sandbox.jail.interpreter import environment
from playground.sandbox.jail.request import Descriptors, Request, ZygoteLostError
from playground.sandbox.jail.zygote import Zygote
from playground.sandbox.jail.zygote_process import ZygoteNotStartedError, ZygoteProcess
from tests.sandbox.conftest import PATIENT
from tests.sandbox.jail.late_thread_task import nothing
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("needs_kernel")


def test_a_zygote_that_starts_with_two_threads_stays_closed() -> None:
    jail = Jail({"self_test": "tests.sandbox.jail.threaded_task:self_test"})

    found = jail.preflight()
    jail.stop()

    assert not found.ok
    assert found.closed_because == "the zygote has 2 threads, so a fork of it could hang"


def test_a_zygote_that_gets_a_second_thread_refuses_to_fork() -> None:
    zygote_process = ZygoteProcess({"nothing": "tests.sandbox.jail.late_thread_task:nothing"})
    request = Request(task="nothing", limits=PATIENT)
    try:
        assert zygote_process.wait_until_ready()["threads"] == 1
        assert zygote_process.run(request, b"{}", b"").value == {}

        os.kill(zygote_process.pid, signal.SIGUSR1)
        wait_until(lambda: len(list(Path(f"/proc/{zygote_process.pid}/task").iterdir())) > 1)
        with pytest.raises(ZygoteLostError) as lost:
            zygote_process.run(request, b"{}", b"")
    finally:
        zygote_process.end()

    assert lost.value.is_begun


def test_a_child_whose_zygote_died_before_its_first_step_does_nothing(tmp_path: Path) -> None:
    """Its parent is another process then, and the signal of that parent's end would never come."""
    (tmp_path / "arguments").write_text("{}")
    arguments = os.open(tmp_path / "arguments", os.O_RDONLY)
    nowhere = os.open(os.devnull, os.O_RDWR)
    read, write = os.pipe()
    zygote_pid = os.fork()
    if zygote_pid == 0:
        ends = Descriptors(
            control=nowhere, result=write, output=nowhere, arguments=arguments, data=nowhere
        )
        request = Request(task="nothing", limits=PATIENT, layers=())
        _fork_and_die(Zygote({"nothing": nothing}, [], None), request, ends)
    os.close(write)
    os.waitpid(zygote_pid, 0)

    with os.fdopen(read, "rb") as result:
        assert result.read() == b""
    os.close(arguments)
    os.close(nowhere)


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


def test_a_task_that_cannot_be_imported_closes_the_jail_with_its_reason() -> None:
    jail = Jail({"self_test": "tests.sandbox.jail.no_such_module:self_test"})

    found = jail.preflight()
    jail.stop()

    assert not found.ok
    assert "No module named 'tests.sandbox.jail.no_such_module'" in str(found.closed_because)


def test_the_environment_of_the_server_does_not_reach_the_zygote(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SERVER_SECRET", "x")
    zygote_process = ZygoteProcess({"nothing": "tests.sandbox.jail.light_tasks:pid"})
    try:
        zygote_process.wait_until_ready()
        environment = Path(f"/proc/{zygote_process.pid}/environ").read_text()
    finally:
        zygote_process.end()

    assert "SERVER_SECRET" not in environment
    assert "PYTHONPATH" not in environment


def test_a_cuda_toolkit_is_not_logged(tmp_path: Path) -> None:
    """torch's CUDA build looks for one when its ``cpp_extension`` is imported; here any build."""
    nvcc = tmp_path / "nvcc"
    nvcc.touch(0o755)
    look = "from torch.utils import cpp_extension; cpp_extension._find_cuda_home()"

    done = subprocess.run(
        [sys.executable, "-c", look],
        env={**environment(), "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_a_zygote_that_does_not_start_says_what_it_wrote() -> None:
    zygote_process = ZygoteProcess({"nothing": "json:no_such_function"})
    try:
        with pytest.raises(ZygoteNotStartedError, match="no_such_function"):
            zygote_process.wait_until_ready()
    finally:
        zygote_process.end()


def test_a_zygote_that_died_meanwhile_has_not_begun_the_job() -> None:
    zygote_process = ZygoteProcess({"nothing": "tests.sandbox.jail.light_tasks:pid"})
    zygote_process.wait_until_ready()
    zygote_process.kill()
    zygote_process._process.wait()
    try:
        with pytest.raises(ZygoteLostError) as lost:
            zygote_process.run(Request(task="nothing", limits=PATIENT), b"{}", b"")
    finally:
        zygote_process.end()

    assert not lost.value.is_begun  # so it can be given to the next one


def test_a_self_test_that_does_nothing_proves_nothing() -> None:
    jail = Jail({"self_test": "tests.sandbox.jail.light_tasks:pid"})
    try:
        with pytest.raises(SandboxClosedError):
            jail.run("self_test", {})
        assert not jail.preflight()
    finally:
        jail.stop()


def test_a_jail_that_was_stopped_can_be_used_again_and_says_so_meanwhile() -> None:
    jail = Jail({"self_test": "tests.sandbox.jail.light_tasks:pid"})
    jail.stop()
    jail.stop()

    assert jail.preflight().closed_because != "the jail was stopped"
    jail.stop()
