"""Submit programs to the sandbox, one at a time and within the visitor's quota."""

import logging
import sys
from collections.abc import Callable
from functools import cache

import streamlit as st

from hosting.logs_and_metrics import Rejected, count_rejection, time_lab_run
from playground import sandbox
from playground.errors import RunQuotaError
from playground.lab import errors, exercises, limits
from playground.machines import Machine
from playground.sandbox import jail
from playground.sandbox.jail import SelfTestResult
from playground.sandbox.live_run import LiveRun
from playground.sandbox.quotas import QUOTAS
from playground.sandbox.report import SandboxReport
from ui import machine_picker
from ui.lab import own_file
from ui.lab.run import OnWait, SandboxRun
from ui.lab.session import LabSession, RunResult
from ui.language import say

_log = logging.getLogger(__name__)


def run(lab: LabSession) -> None:
    """In a callback: run the text, unless another run is going on."""
    source, machine = lab.text, limits.machine_for(lab.start, machine_picker.current())
    allowed = limits.limits_for(lab.start, source)
    given = own_file.current()

    def do(on_wait: OnWait, live: LiveRun) -> SandboxReport:
        report = sandbox.run(
            source,
            machine=machine,
            limits=allowed,
            on_wait=on_wait,
            live=live,
            visitor=lab.session,
            own_file=given,
        )
        return errors.with_fix(
            report,
            source,
            lambda text: sandbox.run(
                text,
                machine=machine,
                limits=allowed,
                looks_at_modules=False,
                on_wait=on_wait,
                own_file=given,
                visitor=lab.session,
            ),
        )

    _submit(lab, machine, do)


def check(lab: LabSession) -> None:
    """In a callback: check the text against its exercise."""
    source, machine, task = lab.text, machine_picker.current(), exercises.exercise(lab.exercise)
    _submit(
        lab,
        machine,
        lambda on_wait, live: exercises.grade(task, source, machine, on_wait=on_wait, live=live),
    )


def _submit(lab: LabSession, machine: Machine, do: Callable[[OnWait, LiveRun], RunResult]) -> None:
    if lab.running is not None and not lab.running.is_over:
        return
    live = LiveRun()

    def within_quota(on_wait: OnWait) -> RunResult:
        try:
            with time_lab_run(), QUOTAS.turn(lab.session):
                return do(on_wait, live)
        except RunQuotaError:
            count_rejection(Rejected.LAB)
            raise

    lab.running = lab.latest = SandboxRun(
        within_quota,
        source=lab.text,
        machine=machine,
        live=live,
        after=lab.latest,  # one that was stopped may not have ended yet
    )


def is_available() -> bool:
    """Wait for the sandbox's self-test; if it failed, show a sentence and return False."""
    with st.spinner(say("lab.opening"), show_time=False):
        found = jail.preflight()
    _log_self_test(found)
    if not found.ok:
        reason = "sandbox_closed" if sys.platform == "linux" else "sandbox_needs_linux"
        st.info(say(f"failures.{reason}"))
        return False
    if not found.is_jailed:
        st.caption(say("lab.not-jailed"))
    return True


@cache
def _log_self_test(found: SelfTestResult) -> None:
    """Log the result of the self-test, once for each different one."""
    if not found.ok:
        _log.error("the lab is closed (%s): %s", found.closed_because, "; ".join(found.failures))
    for warning in found.warnings:
        _log.warning("the lab: %s", warning)
