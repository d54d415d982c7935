"""How a step reveals its answer: one order, for every report that can explain itself."""

from collections.abc import Callable
from typing import Any, TypeVar

from playground.compute.settings import Settings
from playground.errors import InvalidSettingError
from playground.explained import Explained
from ui import compute
from ui.step import Step

SettingsT = TypeVar("SettingsT", bound=Settings[Explained])
HEIGHT = 160  # of a long text, in pixels; it scrolls


def reveal(
    step: Step,
    settings: SettingsT,
    program: Callable[[SettingsT], str],
    draw: Callable[..., Any] | None = None,
    mend: Callable[[SettingsT], tuple[str, str]] | None = None,
) -> None:
    """Run, and once the student has predicted: torch's words, the picture, the reason, the code.

    Args:
        step: Shows all of it.
        settings: The experiment's; its report is an ``Explained``.
        program: Writes the program that is shown.
        draw: Makes the picture of a report; its alternative text has its name.
        mend: The line that goes and the line that comes, for a report that ``is_fixed``.

    Raises:
        InvalidSettingError: Torch refused a number; the frame says so beside the controls.
    """
    report = compute.run(settings)
    if report.refusal:
        raise InvalidSettingError(
            "refused_by_torch", field="arguments", given="", text=report.refusal
        )
    show(step, settings, report, program, draw, mend)


def show(
    step: Step,
    settings: SettingsT,
    report: Explained,
    program: Callable[[SettingsT], str],
    draw: Callable[..., Any] | None = None,
    mend: Callable[[SettingsT], tuple[str, str]] | None = None,
) -> None:
    """The same for a report that is there already, such as that of a run which was started.

    Args:
        step: As of ``reveal``, like all but the report.
        settings: The experiment's.
        report: Of the experiment.
        program: Writes the program.
        draw: Makes the picture.
        mend: The changed line.
    """
    if not step.predicted(report.actual, report.answers):
        return
    if report.is_outcome_shown:
        step.outcome(report.outcome, report.printed)
    if draw and report.is_drawn:
        step.figure(draw(report, step.palette, step.words), draw.__name__, **report.pictured)
    if mend and report.is_fixed:
        step.diff(*mend(settings))
    step.facts(report.facts)
    step.why(report.why, **report.mentions)
    for columns, rows in report.tables(step.words):
        step.table(columns, rows)
    step.printed(report.in_full, height=HEIGHT)
    step.code(program(settings))
