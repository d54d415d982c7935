"""Every step that is a module of its own, and the settings with which the tests try it."""

import itertools
from collections.abc import Iterator
from dataclasses import MISSING
from enum import StrEnum
from typing import Any

from playground import catalog
from playground.errors import InvalidSettingError
from playground.machines import Machine, MachineKind
from playground.machines.machine import DeviceName
from playground.modules.spec import InputSpec, Layer, Network, Shared
from playground.modules.spec.link import to_link
from playground.steps import Labels, Step, load_step
from tests.lessons.blocks.misfits import MISFITS, linear, network


def visitors(*layers: Layer | Shared, shape: tuple[int, ...] = (2, 5)) -> str:
    """A network of the builder, as the setting of a step."""
    return to_link(network(*layers, shape=shape))


NETWORKS = (
    "",
    visitors(
        linear(5, 6, name="encoder"),
        Layer.of("BatchNorm1d", num_features=6),
        Layer.of("LazyLinear", out_features=2),
    ),
    visitors(linear(5, 1, name="encoder")),
    visitors(Layer.of("LayerNorm", normalized_shape=1, eps=0.0), shape=(2, 1)),  # all are NaN
    to_link(Network(Layer.of("LSTM", input_size=3, hidden_size=2), InputSpec((4, 1, 3)))),
)
MACHINES = (Machine(), Machine(gpus=1), Machine(gpus=8), Machine(kind=MachineKind.REAL))
MAX_PAIRS = 60  # settings of one step in which two fields differ from the default
COSTLY = {  # steps that train again and again, or measure
    *("watch", "rates", "same_curve", "checkpoint", "data_trap"),
    *("pieces", "clocks", "logging", "formats", "interpreter_lock", "products"),
}
STEPS = [(lesson.name, step.id) for lesson in catalog.lessons() for step in lesson.steps]
Found = tuple[catalog.Step, type[Step]]


def find(lesson_name: str, step_id: str) -> Found:
    return catalog.lesson(lesson_name).step(step_id), load_step(lesson_name, step_id)


def labels_of(step: catalog.Step, language: catalog.Language = catalog.Language.EN) -> Labels:
    labels = step.words.labels
    return Labels({name: text.said(language).replace("`", "") for name, text in labels.items()})


def starts(step: catalog.Step, kind: type[Step]) -> list[Step]:
    """The default, every round, and the settings of every challenge."""
    given = [each.settings for each in step.words.rounds]
    given += [each.starting for each in step.words.challenges]
    given += [each.model for each in step.words.challenges]
    return [kind(), *(kind.of(each) for each in given)]


def sweep(step: catalog.Step, kind: type[Step]) -> list[Step]:
    """The starts, each with one field changed, and the default with two, as far as allowed.

    Of a costly step only the default is changed, in one field. Where a step takes a visitor's
    network, its default with one is another start.
    """
    choices = {each.name: values_of(kind, each) for each in kind.declared()}
    single = [{name: value} for name, values in choices.items() for value in values]
    twice = () if step.id in COSTLY else itertools.combinations(single, 2)
    pairs = [a | b for a, b in twice if not a.keys() & b.keys()]
    tried = starts(step, kind)
    tried += _changed(kind(), [{"network": NETWORKS[1]}] if "network" in choices else [])
    varied = tried[:1] if step.id in COSTLY else tuple(tried)
    tried += [each for start in varied for each in _changed(start, single)]
    tried += _changed(kind(), pairs[:: len(pairs) // MAX_PAIRS + 1])
    return list(dict.fromkeys(tried))


def values_of(kind: type[Step], field: Any) -> tuple[Any, ...]:
    """Values of one field: all members of a choice, the bounds of a number."""
    if field.type is Machine:
        return MACHINES
    if field.type == DeviceName:
        return ("cpu", "cuda:0", "cuda:1")
    if field.type is bool:
        return (False, True)
    if isinstance(field.type, type) and issubclass(field.type, StrEnum):
        return tuple(field.type)
    if bounds := kind.BOUNDS.get(field.name):
        return (bounds["least"], field.default, bounds["most"])
    if field.metadata.get("is_network"):
        return (*NETWORKS, *(MISFITS.values() if kind.__name__ == "Build" else ()))
    if options := kind.OPTIONS.get(field.name):
        return options
    return () if field.default is MISSING else (field.default,)


def _changed(start: Step, changes: list[dict[str, Any]]) -> Iterator[Step]:
    for change in changes:
        try:
            step = start.replaced(**change)
        except InvalidSettingError:
            continue
        if all(step.is_shown(name) for name in change):
            yield step
