"""One tensor, two names: a layer in two places, its gradient, its names, what keeps the tie."""

from playground.lessons.tied_parameters import figures, source
from playground.lessons.tied_parameters import records as ask
from ui.controls import number
from ui.lesson_frame import Lesson, Step
from ui.network import network
from ui.reveal import reveal
from ui.settings_form import choose

lesson = Lesson("tied_parameters")


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
