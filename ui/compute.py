"""Run an experiment from a page, with a word while it waits; the step keeps what came back."""

from typing import TypeVar

from playground import compute
from playground.compute.settings import Settings
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
    try:
        report = compute.run(settings, on_wait=step.wait, on_run=step.tell_running)
    finally:
        step.stop_waiting()
    step.reports[type(settings).__name__] = report
    return report
