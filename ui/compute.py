"""Run an experiment from a page, with a word while it waits; the step keeps what came back.

``run(settings)`` returns the report, ``look_up(settings)`` what controls offer.
"""

from typing import TypeVar

from hosting.limits import experiments
from hosting.metrics import times
from playground import compute
from playground.compute.settings import Settings
from ui import rerun
from ui.step import Step

ReportT = TypeVar("ReportT")


def run(settings: Settings[ReportT]) -> ReportT:
    """The report of an experiment, for the step that is being drawn.

    Raises:
        AnswerFirstError: The student is to predict first; the frame asks.
        PlaygroundError: The experiment could not run; the lesson frame says so.
    """
    step = Step.current()
    step.simulates |= settings.simulates
    step.await_prediction()
    report = step.reports[type(settings).__name__] = look_up(settings)
    return report


def look_up(settings: Settings[ReportT]) -> ReportT:
    """What the controls of a step need to know, such as the names they offer.

    It gives no answer away, so it waits for no prediction, and challenges do not look at it.

    Raises:
        PlaygroundError: As in ``run``.
    """
    step = Step.current()
    experiments.admit(rerun.session())
    try:
        with times.experiment():
            return compute.run(settings, on_wait=step.wait, on_run=step.tell_running)
    finally:
        step.stop_waiting()
