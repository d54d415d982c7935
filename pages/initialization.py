"""The first values of a network: where they come from, and why they matter."""

from typing import Any

from playground.lessons.initialization import figures, source
from playground.lessons.initialization import records as ask
from ui import compute
from ui.controls import choice, switch, text
from ui.initialiser_controls import initialiser, pick
from ui.lesson_frame import Lesson, Step
from ui.network import network
from ui.reveal import reveal
from ui.settings_form import choose

lesson = Lesson("initialization")
OWN_SHAPE = "shape"


def listed(net: str) -> ask.ListParametersReport:
    return compute.look_up(ask.ListParameters(network=net))


def known() -> tuple[Any, ...]:
    return compute.look_up(ask.ListInitialisers()).initialisers


@lesson.step("default")
def default(step: Step) -> None:
    net = network(step, ask.DEFAULT).to_json()
    path = pick(step, "parameter", listed(net).paths)
    settings = choose(step, ask.ReadDefault, ("seed",), network=net, parameter=path)
    reveal(step, settings, source.read_default, figures.values)


@lesson.step("microscope")
def microscope(step: Step) -> None:
    net = network(step, ask.DEFAULT).to_json()
    own = step.label("own_shape")
    path = pick(step, "parameter", (*listed(net).paths, OWN_SHAPE), {OWN_SHAPE: own})
    where: dict[str, Any] = {"layer": net, "parameter": path}
    if path == OWN_SHAPE:
        where = {"shape": ask.read_shape(text(step, "shape", default="64, 3, 5, 5"))}
    name, given = initialiser(step, known())
    if not switch(step, "underscore", default=True):
        name = name.removesuffix("_")
    settings = choose(step, ask.Initialize, ("seed",), initializer=name, arguments=given, **where)
    reveal(step, settings, source.initialize, figures.values)


@lesson.step("which-fan")
def which_fan(step: Step) -> None:
    settings = choose(step, ask.CountFans, ("layout", "mode", "seed"))
    reveal(step, settings, source.count_fans, figures.fans)


@lesson.step("apply-to-all")
def apply_to_all(step: Step) -> None:
    chosen: dict[str, Any] = {"network": network(step, ask.DEFAULT).to_json()}
    chosen["recipe"] = choice(step, "recipe", ask.Recipe)
    if chosen["recipe"] is ask.Recipe.BY_HAND:
        chosen["initializer"], chosen["arguments"] = initialiser(step, known())
    settings = choose(step, ask.ApplyToAll, ("reach", "seed"), **chosen)
    reveal(step, settings, source.apply_to_all, figures.layers)


@lesson.step("per-layer")
def per_layer(step: Step) -> None:
    chosen: dict[str, Any] = {"network": network(step, ask.DEFAULT).to_json()}
    chosen["way"] = choice(step, "way", ask.Way)
    if chosen["way"] is ask.Way.TYPE:
        chosen["type_name"] = pick(step, "type_name", listed(chosen["network"]).types)
    if chosen["way"] is ask.Way.NAME:
        chosen["pattern"] = text(step, "pattern", default="*.bias")
    settings = choose(step, ask.ApplyPerLayer, ("value", "seed"), **chosen)
    reveal(step, settings, source.apply_per_layer, figures.layers)


@lesson.step("own-rule")
def own_rule(step: Step) -> None:
    settings = choose(step, ask.FollowOwnRule, ("bound", "threshold", "spelling", "seed"))
    reveal(step, settings, source.follow_own_rule, figures.values, source.mend_own_rule)


@lesson.step("signal-through-depth")
def signal_through_depth(step: Step) -> None:
    scheme = choice(step, "initializer", ask.Scheme, default=ask.Scheme.NORMAL)
    settings = choose(step, ask.SignalThroughDepth, scheme.controls, initializer=scheme)
    reveal(step, settings, source.signal_through_depth, figures.signals)


@lesson.step("symmetric-units")
def symmetric_units(step: Step) -> None:
    start = choice(step, "start", ask.Start)
    settings = choose(step, ask.SymmetricUnits, start.controls, start=start)
    reveal(step, settings, source.symmetric_units, figures.units)


lesson.show()
