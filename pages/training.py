"""A Trainer that knows devices: what it moves, how it learns, what can be set."""

from enum import StrEnum
from typing import Any

from playground.lessons.training import figures, source
from playground.lessons.training import records as ask
from ui import compute
from ui.controls import choice, number, option, switch
from ui.lesson_frame import Lesson, Step

lesson = Lesson("training")
RATES = ("0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "10")


def chosen(step: Step, kind: Any, *names: str) -> dict[str, Any]:
    """A control for each named field; defaults and bounds stand in the record."""
    values: dict[str, Any] = {}
    for name in names:
        default = getattr(kind(), name)
        if isinstance(default, bool):
            values[name] = switch(step, name, default=default)
        elif name == "learning_rate":  # a few sizes say more than a box with decimals
            values[name] = float(option(step, name, RATES, default=f"{default:g}"))
        elif isinstance(default, StrEnum):
            values[name] = choice(step, name, type(default), default=default)
        else:
            values[name] = number(step, name, default=default, **kind.BOUNDS[name])
    return values


@lesson.step("take-devices")
def take_devices(step: Step) -> None:
    settings = ask.TakeDevices(machine=step.machine, **chosen(step, ask.TakeDevices, "num_gpus"))
    report = compute.run(settings)
    if step.predicted(report.actual):
        step.facts(report.facts)
        step.why(report.why, **report.told)
        step.code(source.take_devices(settings))


@lesson.step("prepare-both")
def prepare_both(step: Step) -> None:
    asked = chosen(step, ask.PrepareBoth, "prepares_model", "prepares_batch")
    settings = ask.PrepareBoth(machine=step.machine, **asked)
    report = compute.run(settings)
    if step.predicted(report.outcome):
        step.outcome(report.outcome)
        step.facts(report.facts)
        step.why(report.why)
        step.code(source.prepare_both(settings))


@lesson.step("watch")
def watch(step: Step) -> None:
    names = ("dataset", "epochs", "learning_rate", "optimizer", "gradient_clip", "num_gpus", "seed")
    settings = ask.Train(machine=step.machine, **chosen(step, ask.Train, *names))
    report = compute.stream(settings, start="train", draw=figures.live_training)
    if report is not None:
        step.figure(figures.run_curves(report, step.palette, step.words), "curves", **report.told)
        step.figure(figures.plane(report, step.palette, step.words), "plane", **report.told)
        step.facts(report.facts)
        step.why(report.why, **report.told)
    step.code(source.train(settings))


@lesson.step("same-curve")
def same_curve(step: Step) -> None:
    asked = chosen(step, ask.TrainTwice, "second", "dataset", "epochs", "seed")
    settings = ask.TrainTwice(machine=step.machine, **asked)
    report = compute.stream(settings, start="train_twice", draw=figures.live_curves)
    if report is not None and step.predicted(report.actual):
        drawn = figures.several_curves(report, step.palette, step.words)
        step.figure(drawn, "two_curves", **report.told)
        step.facts(report.facts)
        step.why(report.why, **report.told)
    step.code(source.train_twice(settings))


@lesson.step("rates")
def rates(step: Step) -> None:
    names = ("optimizer", "dataset", "epochs", "gradient_clip", "seed")
    settings = ask.TryRates(**chosen(step, ask.TryRates, *names))
    report = compute.stream(settings, start="try_rates", draw=figures.live_curves)
    if report is not None and step.predicted(report.actual):
        drawn = figures.several_curves(report, step.palette, step.words)
        step.figure(drawn, "rates", **report.told)
        step.why(report.why, **report.told)
    step.code(source.try_rates(settings))


@lesson.step("clip")
def clip(step: Step) -> None:
    names = ("factor", "gradient_clip", "seed")
    settings = ask.ClipGradient(**chosen(step, ask.ClipGradient, *names))
    report = compute.run(settings)
    if step.predicted(report.actual):
        drawn = figures.clipped(report, step.palette, step.words)
        step.figure(drawn, "clipped", **report.told)
        step.facts(report.facts)
        step.why(report.why, **report.told)
        step.printed(source.clip_method())
        step.code(source.clip_gradient(settings))


lesson.show()
