"""What moves when a network moves to a device, and what stays behind."""

from enum import StrEnum
from typing import Any

from playground.lessons.models import figures, source
from playground.lessons.models import records as ask
from ui import compute
from ui.controls import choice, device, number
from ui.lesson_frame import Lesson, Step

lesson = Lesson("models")


def choose(step: Step, kind: Any) -> Any:
    """Make settings: a control for every field; defaults and bounds stand in the record."""
    chosen: dict[str, Any] = {}
    for name, default in ask.asked_fields(kind, chosen):
        if isinstance(default, StrEnum):
            chosen[name] = choice(step, name, type(default), default=default)
        elif isinstance(default, int):
            chosen[name] = number(step, name, default=default, **kind.BOUNDS[name])
        else:
            chosen[name] = device(step, name, default=default)
    return kind(machine=step.machine, **chosen)


def reveal(
    step: Step, kind: Any, program: Any, mend: Any = None, draw: Any = figures.lanes
) -> None:
    """Run, and once the student has predicted: torch's words, the picture, the reason, the code."""
    settings = choose(step, kind)
    report: ask.Explained = compute.run(settings)
    if not step.predicted(report.actual, report.answers):
        return
    step.outcome(report.outcome, report.printed)
    if report.is_drawn:
        step.figure(draw(report, step.palette, step.words), draw.__name__, **report.pictured)
    if report.is_fixed:
        gone, come = mend(settings)
        if gone:
            step.diff(gone.replace("\n", "\n- "), come.replace("\n", "\n+ "))
        else:
            step.fix(come)
    step.facts(report.facts)
    step.why(report.why, **report.mentions)
    for columns, rows in report.tables(step.words):
        step.table(columns, rows)
    step.code(program(settings))


@lesson.step("where-is-a-model")
def where_is_a_model(step: Step) -> None:
    reveal(step, ask.FindModel, source.find_model)


@lesson.step("move-in-place")
def move_in_place(step: Step) -> None:
    reveal(step, ask.MoveInPlace, source.move_in_place)


@lesson.step("input-and-model")
def input_and_model(step: Step) -> None:
    reveal(step, ask.FeedModel, source.feed_model, source.mend_feeding, figures.pairs)


@lesson.step("loss")
def loss(step: Step) -> None:
    reveal(step, ask.ComputeLoss, source.compute_loss, source.mend_loss)


@lesson.step("ledger")
def ledger(step: Step) -> None:
    reveal(step, ask.MoveModel, source.move_model, source.mend_model)


@lesson.step("optimizer")
def optimizer(step: Step) -> None:
    reveal(step, ask.MoveWithOptimizer, source.move_with_optimizer)


@lesson.step("lazy")
def lazy(step: Step) -> None:
    reveal(step, ask.MoveLazy, source.move_lazy, source.mend_lazy)


@lesson.step("reading-back")
def reading_back(step: Step) -> None:
    reveal(step, ask.ReadResult, source.read_result)


lesson.show()
