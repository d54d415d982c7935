import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from playground.compute.worker_process import NICE
from playground.errors import SandboxBusyError, SandboxClosedError
from playground.sandbox.jail import Jail, StoppedBecause
from playground.sandbox.limits import LIMITS
from tests.sandbox.jail.conftest import children, is_alive, run
from tests.waiting import wait_until

ROOT = Path(__file__).parents[3]
SLEEP = "time.sleep(3_600)"


def open_files(pid):
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def test_one_that_is_switched_off_starts_nothing_and_refuses_every_run():
    jail = Jail({"raw": "no.such.module:raw"})
    jail.switch_off()

    assert jail.found is not None
    jail.start()
    assert jail.preflight().closed_because == "the operator has switched it off"
    with pytest.raises(SandboxClosedError):
        jail.run("raw", {})
    assert not [each for each in threading.enumerate() if each.name == "jail-start"]
    jail.stop()
    assert not jail.preflight()


def zygote_of(jail):
    return jail._runner.pid


@pytest.fixture(autouse=True)
def zygote(jail):
    """The zygote's number, where the end of the last test's children has been waited for."""
    wait_until(lambda: not children(zygote_of(jail)))
    return zygote_of(jail)


def kill_all(jail):
    """End the runs that sleep."""
    for pid in children(zygote_of(jail)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_every_run_has_a_process_of_its_own_that_is_gone_afterwards(jail, zygote):
    pids = {run(jail, "result = os.getpid()").value["result"] for _ in range(3)}
    assert len(pids | {os.getpid()}) == 4
    wait_until(lambda: not children(zygote))


def test_the_kernel_confirms_the_layers_of_a_child_and_its_low_priority(jail, zygote):
    """All runs have one session, and a group of processes each: one share for all of them."""
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(run, jail, SLEEP)
        (pid,) = wait_until(lambda: children(zygote))
        file = Path(f"/proc/{pid}/status")
        wait_until(lambda: "Seccomp:\t2" in file.read_text())
        lines = file.read_text().splitlines()
        status = dict(line.split(":\t", 1) for line in lines if "\t" in line)
        group, session = os.getpgid(pid), os.getsid(pid)
        priority = os.getpriority(os.PRIO_PROCESS, pid)
        kill_all(jail)
        assert running.result().stopped_because is StoppedBecause.CRASHED

    assert (status["NoNewPrivs"], status["Threads"], status["CapEff"]) == ("1", "1", "0" * 16)
    assert status["Uid"].split() == (["65534"] * 4 if os.geteuid() == 0 else [str(os.getuid())] * 4)
    assert (group, session) == (pid, zygote)
    assert priority == max(NICE, os.getpriority(os.PRIO_PROCESS, 0))


def test_what_is_too_large_is_not_sent(jail):
    small = replace(LIMITS, data_bytes=3, arguments_bytes=100)

    with pytest.raises(ValueError, match="larger"):
        run(jail, "", data=b"abcd", limits=small)
    with pytest.raises(ValueError, match="larger"):
        run(jail, "#" * 100, limits=small)
    with pytest.raises(ValueError, match="no task"):
        jail.run("exec", {})


def test_of_forty_at_once_eight_live_thirty_wait_and_two_are_refused(jail, zygote):
    places, alive = [], []
    everybody = threading.Barrier(40)

    def one(_):
        everybody.wait()
        try:
            return str(run(jail, SLEEP, on_wait=places.append).stopped_because)
        except SandboxBusyError as busy:
            return f"{busy.key} {busy.values['waiting']}"

    with ThreadPoolExecutor(40) as threads:
        ends = [threads.submit(one, number) for number in range(40)]
        wait_until(lambda: sum(end.done() for end in ends) == 2)
        wait_until(lambda: set(places) == set(range(1, 31)))
        wait_until(lambda: len(children(zygote)) == LIMITS.children)

        def end_them():
            alive.append(len(children(zygote)))
            kill_all(jail)
            return all(end.done() for end in ends)

        wait_until(end_them)

    reported = [end.result() for end in ends]
    assert (reported.count("crashed"), reported.count("sandbox_busy 30")) == (38, 2)
    assert max(alive) == LIMITS.children


def test_nothing_stays_open_in_the_web_process(jail, zygote):
    sources = ["result = 1", "ctypes.string_at(0)", "os.close(3)", "while True: print('x' * 1000)"]
    run(jail, sources[0])
    before = open_files(os.getpid())
    for source in sources * 3:
        run(jail, source)

    assert open_files(os.getpid()) == before
    assert open_files(zygote) < 10


def test_a_zygote_that_is_killed_fails_its_runs_and_is_replaced(jail, zygote):
    with ThreadPoolExecutor(3) as threads:
        running = [threads.submit(run, jail, SLEEP) for _ in range(2)]
        wait_until(lambda: len(children(zygote)) == 2)
        orphans = children(zygote)
        os.kill(zygote, signal.SIGKILL)
        ends = [each.result() for each in running]

    assert {end.stopped_because for end in ends} == {StoppedBecause.RESTARTED}
    wait_until(lambda: not any(map(is_alive, orphans)))
    assert run(jail, "result = 1").value == {"result": 1}
    assert zygote_of(jail) != zygote
    assert jail.preflight().ok


def test_a_zygote_that_has_to_wait_for_a_processor_is_not_lost(jail, zygote):
    with ThreadPoolExecutor(1) as threads:
        limits = replace(LIMITS, wall_seconds=0.5)
        running = threads.submit(run, jail, SLEEP, limits=limits)
        wait_until(lambda: len(children(zygote)) == 1)
        os.kill(zygote, signal.SIGSTOP)
        time.sleep(6)
        os.kill(zygote, signal.SIGCONT)

    assert running.result().stopped_because is StoppedBecause.WALL
    assert zygote_of(jail) == zygote


def test_a_dead_zygote_is_noticed_and_replaced_before_the_next_run(jail, zygote):
    restarts = jail.restarts
    assert jail.found
    os.kill(zygote, signal.SIGKILL)
    wait_until(lambda: jail.found is None)

    assert jail.preflight().ok
    assert zygote_of(jail) != zygote
    assert jail.restarts == restarts + 1


SERVER = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # pytest's may be ignored
from playground.sandbox.jail.request import Request
from playground.sandbox.jail.zygote_process import ZygoteProcess
from playground.sandbox.limits import Limits
zygote = ZygoteProcess({"sleep": "tests.sandbox.jail.light_tasks:sleep"})
zygote.wait_until_ready()
request = Request(task="sleep", limits=Limits(wall_seconds=600.0))
threading.Thread(target=zygote.run, args=(request, b"{}", b""), daemon=True).start()
print(zygote.pid, flush=True)
while True:  # a signal just before the sleep does not end it
    time.sleep(0.1)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_server_that_dies_leaves_no_process_behind(how):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen([sys.executable, "-c", SERVER], cwd=ROOT, **pipes) as server:
        zygote = int(server.stdout.readline())
        (child,) = wait_until(lambda: children(zygote))
        server.send_signal(how)
        server.wait()

    wait_until(lambda: not is_alive(zygote) and not is_alive(child))
