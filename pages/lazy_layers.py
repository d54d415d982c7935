"""Parameters without a shape: what they are before the first batch, and what it makes of them."""

from enum import StrEnum
from typing import Any

from playground.lessons.lazy_layers import figures, source
from playground.lessons.lazy_layers import records as ask
from ui import compute
from ui.controls import choice, device, number, option
from ui.lesson_frame import Lesson, Step
from ui.network import network

lesson = Lesson("lazy_layers")


def choose(step: Step, kind: Any, **chosen: Any) -> Any:
    """Make settings: a control for every field; defaults and bounds stand in the record."""
    for name, default in ask.asked_fields(kind):
        if name in chosen:
            continue
        if isinstance(default, StrEnum):
            chosen[name] = choice(step, name, type(default), default=default)
        elif isinstance(default, int):
            chosen[name] = number(step, name, default=default, **kind.BOUNDS[name])
        else:
            chosen[name] = device(step, name, default=default)
            chosen["machine"] = step.machine
    return kind(**chosen)


def reveal(step: Step, settings: Any, program: Any, draw: Any = None) -> None:
    """Run, and once the student has predicted: torch's words, the picture, the reason, the code."""
    report: ask.Explained = compute.run(settings)
    if not step.predicted(report.actual, report.answers):
        return
    if report.printed or not report.outcome.ok:
        step.outcome(report.outcome, report.printed)
    if draw and report.is_drawn:
        step.figure(draw(report, step.palette, step.words), draw.__name__, **report.pictured)
    step.facts(report.facts)
    step.why(report.why, **report.mentions)
    for columns, rows in report.tables(step.words):
        step.table(columns, rows)
    step.printed(report.in_full, height=160)
    step.code(program(settings))


def brought(step: Step) -> str:
    """The lesson's network, or the student's, as JSON."""
    return network(step, ask.DEFAULT).to_json()


@lesson.step("before")
def before(step: Step) -> None:
    reveal(step, choose(step, ask.AskTooEarly), source.ask_too_early)


@lesson.step("timeline")
def timeline(step: Step) -> None:
    settings = choose(step, ask.LazyTimeline, network=brought(step), seed=0)
    reveal(step, settings, source.lazy_timeline, figures.timeline)


@lesson.step("too-early")
def too_early(step: Step) -> None:
    settings = choose(step, ask.TryTooEarly, network=brought(step))
    reveal(step, settings, source.try_too_early, figures.marks)


@lesson.step("optimizer")
def optimizer(step: Step) -> None:
    reveal(step, choose(step, ask.TrainFromBefore), source.train_from_before)


@lesson.step("apply")
def apply(step: Step) -> None:
    reveal(step, choose(step, ask.InitialiseNet), source.initialise_net)


@lesson.step("second-width")
def second_width(step: Step) -> None:
    reveal(step, choose(step, ask.FeedAgain), source.feed_again)


@lesson.step("every-lazy-layer")
def every_lazy_layer(step: Step) -> None:
    names = compute.look_up(ask.ListLazyLayers()).names
    layer = option(step, "layer", names, default=ask.FeedLazyLayer().layer)
    settings = choose(step, ask.FeedLazyLayer, layer=layer)
    report = compute.run(settings)
    reveal(step, settings, lambda _: source.feed_lazy_layer(settings, report), figures.decided)


@lesson.step("same-seed")
def same_seed(step: Step) -> None:
    used = brought(step)
    recipes = ask.recipes_for(used)
    recipe = choice(step, "recipe", ask.Recipe, among=recipes)
    reveal(
        step,
        choose(step, ask.CompareSeeds, network=used, recipe=recipe),
        source.compare_seeds,
        figures.draws,
    )


lesson.show()
