"""The runner without a jail, if the operator allows it: another process, the same limits."""

import os
import sys
from dataclasses import replace

from playground.sandbox.jail import Jail, StoppedBecause, self_test, subprocess_runner
from playground.sandbox.jail.request import Request
from playground.sandbox.jail.subprocess_runner import SubprocessRunner
from playground.sandbox.limits import LIMITS
from tests.sandbox.conftest import PATIENT

TASKS = {
    name: f"tests.sandbox.jail.light_tasks:{name}"
    for name in ("pid", "speak", "sleep", "echo", "flood", "die")
}
NAP = replace(LIMITS, wall_seconds=0.3)


def run(task: str, limits=PATIENT, arguments: bytes = b"{}", data: bytes = b""):
    return SubprocessRunner(TASKS).run(Request(task=task, limits=limits), arguments, data)


def test_every_run_has_a_process_of_its_own():
    pids = {os.getpid(), *(run("pid").value["pid"] for _ in range(2))}
    assert len(pids) == 3


def test_arguments_and_data_come_through():
    answer = run("echo", arguments=b'{"x": "\xc3\xbc"}', data=bytes(range(256)) * 1000)
    assert answer.value == {"arguments": {"x": "ü"}, "length": 256_000}


def test_what_is_printed_is_utf8_also_where_the_system_is_not(monkeypatch):
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    surroundings = subprocess_runner.interpreter_environment() | plain
    monkeypatch.setattr(subprocess_runner, "interpreter_environment", lambda: surroundings)
    assert run("speak").output == "学习\n"


def test_waiting_output_and_crashes_end_as_in_the_jail():
    assert run("sleep", NAP).stopped_because is StoppedBecause.WALL
    assert run("flood").stopped_because is StoppedBecause.OUTPUT
    assert run("die").stopped_because is StoppedBecause.NO_RESULT


def test_another_system_is_closed_until_the_setting_allows_it(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")

    closed = Jail(TASKS).preflight()

    assert not closed
    assert "this is darwin" in str(closed.closed_because)
    assert f"{self_test.UNJAILED_VARIABLE}={self_test.UNJAILED_VALUE}" in str(closed.closed_because)
    monkeypatch.setenv(self_test.UNJAILED_VARIABLE, self_test.UNJAILED_VALUE)
    jail = Jail(TASKS | {"self_test": "playground.sandbox.jail.self_test_task:self_test"})
    found = jail.preflight()
    assert (found.ok, found.is_jailed) == (True, False)
    assert "code can reach what this user can reach" in found.warnings[0]
    assert jail.run("pid", {}, limits=PATIENT).value["pid"] != os.getpid()
    jail.stop()
