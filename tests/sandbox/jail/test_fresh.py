"""Where there is no jail and the operator does without: another process, the same bounds."""

import os
import sys
from dataclasses import replace

import pytest

from playground.sandbox.jail import Jail, StoppedBecause, consent
from playground.sandbox.jail.fresh import FreshProcesses
from playground.sandbox.jail.request import Request
from playground.sandbox.limits import LIMITS
from tests.sandbox.conftest import PATIENT

TASKS = {
    name: f"tests.sandbox.jail.light:{name}" for name in ("pid", "sleep", "echo", "flood", "die")
}
NAP = replace(LIMITS, wall_seconds=0.3)


def perform(task: str, limits=PATIENT, arguments: bytes = b"{}", data: bytes = b""):
    return FreshProcesses(TASKS).perform(Request(task=task, limits=limits), arguments, data)


def test_every_run_has_a_process_of_its_own() -> None:
    pids = {perform("pid").value["pid"] for _ in range(2)}

    assert len(pids) == 2
    assert os.getpid() not in pids


def test_arguments_and_data_come_through() -> None:
    answer = perform("echo", arguments=b'{"x": "\xc3\xbc"}', data=bytes(range(256)) * 1000)

    assert answer.value["arguments"] == {"x": "ü"}
    assert answer.value["length"] == 256_000


def test_waiting_output_and_crashes_end_as_in_the_jail() -> None:
    assert perform("sleep", NAP).stopped_because is StoppedBecause.WALL
    assert perform("flood").stopped_because is StoppedBecause.OUTPUT
    assert perform("die").stopped_because is StoppedBecause.NO_RESULT


def test_another_system_is_closed_and_names_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    found = Jail(TASKS).preflight()

    assert not found
    assert "this is darwin" in str(found.closed_because)
    assert f"{consent.VARIABLE}={consent.CONSENT}" in str(found.closed_because)


def test_another_system_opens_when_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv(consent.VARIABLE, consent.CONSENT)
    jail = Jail(TASKS | {"probe": "playground.sandbox.jail.probes:probe"})

    found = jail.preflight()

    assert found.ok
    assert not found.is_jailed
    assert "code can reach what this user can reach" in found.warnings[0]
    assert jail.run("pid", {}, limits=PATIENT).value["pid"] != os.getpid()
    jail.stop()
