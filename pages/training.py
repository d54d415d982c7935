"""A Trainer that knows devices: what it moves, how it learns, what can be set."""

from playground.lessons.training import figures, source
from playground.lessons.training import records as ask
from ui import compute
from ui.controls import choice, number, option
from ui.lesson_frame import Lesson, Step
from ui.settings_form import choose

lesson = Lesson("training")
# A few sizes say more than a box with decimals.
RATES = ("0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "10")


@lesson.step("take-devices")
def take_devices(step: Step) -> None:
    settings = choose(step, ask.TakeDevices)
    report = compute.run(settings)
    if step.predicted(report.actual):
        step.facts(report.facts)
        step.why(report.why, **report.told)
        step.code(source.take_devices(settings))


@lesson.step("prepare-both")
def prepare_both(step: Step) -> None:
    settings = choose(step, ask.PrepareBoth)
    report = compute.run(settings)
    if step.predicted(report.outcome):
        step.outcome(report.outcome)
        step.facts(report.facts)
        step.why(report.why)
        step.code(source.prepare_both(settings))


@lesson.step("watch")
def watch(step: Step) -> None:
    default, bounds = ask.Train(), ask.Train.BOUNDS
    settings = choose(
        step,
        ask.Train,
        ("optimizer", "gradient_clip", "num_gpus", "seed"),
        dataset=choice(step, "dataset", ask.Dataset),
        epochs=number(step, "epochs", default=default.epochs, **bounds["epochs"]),
        learning_rate=float(
            option(step, "learning_rate", RATES, default=f"{default.learning_rate:g}")
        ),
    )
    report = compute.stream(settings, start="train", draw=figures.live_training)
    if report is not None:
        step.figure(figures.run_curves(report, step.palette, step.words), "curves", **report.told)
        step.figure(figures.plane(report, step.palette, step.words), "plane", **report.told)
        step.facts(report.facts)
        step.why(report.why, **report.told)
    step.code(source.train(settings))


@lesson.step("same-curve")
def same_curve(step: Step) -> None:
    settings = choose(step, ask.TrainTwice)
    report = compute.stream(settings, start="train_twice", draw=figures.live_curves)
    if report is not None and step.predicted(report.actual):
        drawn = figures.several_curves(report, step.palette, step.words)
        step.figure(drawn, "two_curves", **report.told)
        step.facts(report.facts)
        step.why(report.why, **report.told)
    step.code(source.train_twice(settings))


@lesson.step("rates")
def rates(step: Step) -> None:
    settings = choose(step, ask.TryRates)
    report = compute.stream(settings, start="try_rates", draw=figures.live_curves)
    if report is not None and step.predicted(report.actual):
        drawn = figures.several_curves(report, step.palette, step.words)
        step.figure(drawn, "rates", **report.told)
        step.why(report.why, **report.told)
    step.code(source.try_rates(settings))


@lesson.step("clip")
def clip(step: Step) -> None:
    settings = choose(step, ask.ClipGradient)
    report = compute.run(settings)
    if step.predicted(report.actual):
        drawn = figures.clipped(report, step.palette, step.words)
        step.figure(drawn, "clipped", **report.told)
        step.facts(report.facts)
        step.why(report.why, **report.told)
        step.printed(source.clip_method())
        step.code(source.clip_gradient(settings))


lesson.show()
