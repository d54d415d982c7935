"""Begins runs of the text on the desk, one at a time and within the visitor's quota."""

from collections.abc import Callable

from hosting.metrics import refusals, times
from hosting.metrics.refusals import Refused
from playground import sandbox
from playground.errors import RunQuotaError
from playground.lab import exercises, terms
from playground.machines import Machine
from playground.sandbox.quotas import QUOTAS
from ui import machine_picker
from ui.lab.desk import Came, Desk
from ui.lab.running import OnWait, Running


def run(desk: Desk) -> None:
    """In a callback: run the text; while a run goes on, nothing else begins."""
    source, machine = desk.text, terms.machine_for(desk.start, machine_picker.current())
    limits = terms.limits_for(desk.start, source)
    _begin(
        desk,
        machine,
        lambda on_wait: sandbox.run(source, machine=machine, limits=limits, on_wait=on_wait),
    )


def check(desk: Desk) -> None:
    """In a callback: check the text against its exercise."""
    source, machine, task = desk.text, machine_picker.current(), exercises.exercise(desk.exercise)
    _begin(desk, machine, lambda on_wait: exercises.grade(task, source, machine, on_wait=on_wait))


def _begin(desk: Desk, machine: Machine, do: Callable[[OnWait], Came]) -> None:
    if desk.running is not None and not desk.running.is_over:
        return

    def within_quota(on_wait: OnWait) -> Came:
        try:
            with times.lab_run(), QUOTAS.turn(desk.session):
                return do(on_wait)
        except RunQuotaError:
            refusals.note(Refused.LAB)
            raise

    desk.running = desk.latest = Running(
        within_quota,
        source=desk.text,
        machine=machine,
        after=desk.latest,  # one that was stopped may not have ended yet
    )
