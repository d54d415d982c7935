"""Layers of one's own: without parameters, with them, as a part, and why a Parameter is one."""

from enum import StrEnum
from typing import Any

from playground.lessons.custom_layers import figures, source
from playground.lessons.custom_layers import records as ask
from ui import compute
from ui.controls import choice, device, number
from ui.lesson_frame import Lesson, Step

lesson = Lesson("custom_layers")


def choose(step: Step, kind: Any) -> Any:
    """Make settings: a control for every field; defaults and bounds stand in the record."""
    chosen: dict[str, Any] = {}
    for name, default in ask.asked_fields(kind):
        if isinstance(default, StrEnum):
            chosen[name] = choice(step, name, type(default), default=default)
        elif isinstance(default, int):
            chosen[name] = number(step, name, default=default, **kind.BOUNDS[name])
        else:
            chosen[name] = device(step, name, default=default)
            chosen["machine"] = step.machine
    return kind(**chosen)


def reveal(step: Step, kind: Any, program: Any, draw: Any = None) -> None:
    """Run, and once the student has predicted: torch's words, the picture, the reason, the code."""
    settings = choose(step, kind)
    report: ask.Explained = compute.run(settings)
    if not step.predicted(report.actual):
        return
    step.outcome(report.outcome, report.printed)
    if draw and report.is_drawn:
        step.figure(draw(report, step.palette, step.words), draw.__name__, **report.pictured)
    step.facts(report.facts)
    step.why(report.why, **report.mentions)
    for columns, rows in report.tables(step.words):
        step.table(columns, rows)
    step.code(program(settings))


@lesson.step("centered-layer")
def centered_layer(step: Step) -> None:
    reveal(step, ask.CenterValues, source.center_values, figures.shift)


@lesson.step("mean-in-a-net")
def mean_in_a_net(step: Step) -> None:
    reveal(step, ask.MeasureMean, source.measure_mean, figures.magnitudes)


@lesson.step("my-linear")
def my_linear(step: Step) -> None:
    reveal(step, ask.UseMyLinear, source.use_my_linear, figures.gradient_map)


@lesson.step("data-trap")
def data_trap(step: Step) -> None:
    reveal(step, ask.TrainThrough, source.train_through, figures.losses)


@lesson.step("two-layouts")
def two_layouts(step: Step) -> None:
    reveal(step, ask.CopyWeights, source.copy_weights, figures.layouts)


@lesson.step("component")
def component(step: Step) -> None:
    reveal(step, ask.UseAsComponent, source.use_as_component)


@lesson.step("kinds-of-tensors")
def kinds_of_tensors(step: Step) -> None:
    reveal(step, ask.HoldTensor, source.hold_tensor, figures.holdings)


@lesson.step("assignment")
def assignment(step: Step) -> None:
    reveal(step, ask.AssignWeight, source.assign_weight)


lesson.show()
