"""The parameters of a network: one layer, all of them, by name, by place, frozen, set by hand."""

from typing import Any

from playground.lessons.parameters import figures, source
from playground.lessons.parameters import records as ask
from ui import compute
from ui.controls import choice, number, option, text
from ui.leaf_tree import leaf
from ui.lesson_frame import Lesson, Step
from ui.network import network
from ui.reveal import reveal

lesson = Lesson("parameters")


def pick(step: Step, default: Any, path: str) -> tuple[dict[str, Any], int]:
    """A network, and a parameter picked in its tree; also how many dimensions that has."""
    chosen = network(step, default).to_json()
    branches = compute.look_up(ask.ListParameters(network=chosen)).branches
    picked = leaf(step, "path", branches, default=path)
    shapes = {each.name: each.shape for branch in branches for each in branch.leaves}
    return {"network": chosen, "path": picked}, len(shapes.get(picked) or ())


@lesson.step("one-layer")
def one_layer(step: Step) -> None:
    picked, _ = pick(step, ask.PLAIN, "2.bias")
    settings = ask.OpenLayer(moment=choice(step, "moment", ask.Moment), **picked)
    reveal(step, settings, source.open_layer, figures.leaf)


@lesson.step("all-names")
def all_names(step: Step) -> None:
    chosen = network(step, ask.PLAIN)
    part = option(step, "part", ask.parts_of(chosen), may_grow=True)
    settings = ask.NameParameters(network=chosen.to_json(), part=part)
    reveal(step, settings, source.name_parameters, figures.names)


@lesson.step("state-dict")
def state_dict(step: Step) -> None:
    chosen = network(step, ask.NORMED).to_json()
    keeping = choice(step, "keeping", ask.Keeping, default=ask.KeepState().keeping)
    settings = ask.KeepState(network=chosen, keeping=keeping)
    reveal(step, settings, source.keep_state, figures.kept)


@lesson.step("tree")
def tree(step: Step) -> None:
    picked, _ = pick(step, ask.RGNET, ask.ReachParameter().path)
    reveal(step, ask.ReachParameter(**picked), source.reach_parameter, figures.leaf)


@lesson.step("same-output")
def same_output(step: Step) -> None:
    chosen = network(step, ask.RGNET).to_json()
    default, bounds = ask.FeedNetwork(), ask.FeedNetwork.BOUNDS
    numbers = {
        name: number(step, name, default=getattr(default, name), **bounds[name]) for name in bounds
    }
    reveal(step, ask.FeedNetwork(network=chosen, **numbers), source.feed_network, figures.spread)


@lesson.step("counting")
def counting(step: Step) -> None:
    settings = ask.FreezeByName(
        network=network(step, ask.RGNET).to_json(),
        pattern=text(step, "pattern", default=ask.FreezeByName().pattern),
        freezing=choice(step, "freezing", ask.Freezing),
        given=choice(step, "given", ask.Given),
    )
    reveal(step, settings, source.freeze_by_name, figures.counts)


@lesson.step("setting")
def setting(step: Step) -> None:
    picked, rank = pick(step, ask.RGNET, ask.SetValue().path)
    settings = ask.SetValue(
        rank=min(rank, ask.SetValue().rank),
        way=choice(step, "way", ask.Way),
        setting=choice(step, "setting", ask.Setting),
        **picked,
    )
    reveal(step, settings, source.set_value, figures.change, source.mend_setting)


lesson.show()
