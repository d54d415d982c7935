"""One tensor, two names: a layer in two places, its gradient, its names, what keeps the tie."""

from enum import StrEnum
from typing import Any

from playground.lessons.tied_parameters import figures, source
from playground.lessons.tied_parameters import records as ask
from ui import compute
from ui.controls import choice, device, number
from ui.lesson_frame import Lesson, Step
from ui.network import network

lesson = Lesson("tied_parameters")


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


def reveal(step: Step, settings: Any, program: Any, draw: Any = None) -> None:
    """Run, and once the student has predicted: torch's words, the picture, the reason, the code."""
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


@lesson.step("one-layer-twice")
def one_layer_twice(step: Step) -> None:
    reveal(step, choose(step, ask.ShareLayer), source.share_layer, figures.places)


@lesson.step("gradients-add")
def gradients_add(step: Step) -> None:
    reveal(step, choose(step, ask.TiedGradient), source.tied_gradient, figures.addition)


@lesson.step("identity-ledger")
def identity_ledger(step: Step) -> None:
    least, most = ask.LEAST_PLACES, ask.MOST_PLACES
    places = number(step, "places", least=least, most=most, default=2)
    chosen = network(step, ask.shared_network(places))
    reveal(step, ask.CountTied(network=chosen.to_json()), source.count_tied, figures.ledger)


@lesson.step("two-keys")
def two_keys(step: Step) -> None:
    reveal(step, choose(step, ask.LoadTied), source.load_tied)


@lesson.step("optimizer")
def optimizer(step: Step) -> None:
    reveal(step, choose(step, ask.StepTied), source.step_tied, figures.steps)


@lesson.step("replay")
def replay(step: Step) -> None:
    reveal(step, choose(step, ask.TieReplay), source.tie_replay, figures.replay)


lesson.show()
