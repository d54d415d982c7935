"""Controls that torch decides on: the parameters of a network, the arguments of an initialiser."""

from collections.abc import Mapping, Sequence

from streamlit.delta_generator import DeltaGenerator

from playground.modules.initialiser_types import Initialiser
from playground.modules.layer_types import Argument, ArgumentKind
from ui import address
from ui.controls import NumberT, option
from ui.step import Step, Value

FIRST = "xavier_uniform_"
# Where torch has no default, something to begin with.
STARTS = {"val": 1.0, "sparsity": 0.1}


def pick(
    step: Step, field: str, names: Sequence[str], labels: Mapping[str, str] | None = None
) -> str:
    """One of many names, in a box that can be searched; the first is the default.

    Args:
        step: The step.
        field: Of the settings.
        names: As they stand in the address; with none, nothing is drawn.
        labels: What to show for a name instead of itself.
    """
    if not names:
        return ""
    key = step.key(field)
    shown = labels or {}

    def draw(left: DeltaGenerator) -> str:
        address.settle_choice(key, names, names[0])
        chosen = left.selectbox(
            step.label(field), names, format_func=lambda name: shown.get(name, name), key=key
        )
        value = str(chosen or names[0])
        address.write(key, value, names[0])
        return value

    return step.read(field, names[0], draw)


def initialiser(
    step: Step, known: Sequence[Initialiser]
) -> tuple[str, tuple[tuple[str, Value], ...]]:
    """One of torch's initialisers by its name, and what it is given."""
    by_name = {each.name: each for each in known}
    start = FIRST if FIRST in by_name else None
    name = option(step, "initializer", tuple(by_name), default=start, may_grow=True)
    given = tuple((each.name, _ask(step, name, each)) for each in by_name[name].arguments)
    return name, given


def _ask(step: Step, owner: str, argument: Argument) -> Value:
    """One argument: words to choose from, or a number without bounds.

    What torch does not take, torch is to refuse, in its own words.
    """
    field = f"{owner}{argument.name}"
    if argument.kind is ArgumentKind.CHOICE:
        return _choose(step, field, argument)
    start = STARTS.get(argument.name, 0.5) if argument.default is None else argument.default
    if argument.kind is ArgumentKind.INTEGER:
        return _number(step, field, argument.name, int(str(start)), 1)
    return _number(step, field, argument.name, float(str(start)), 0.1)


def _choose(step: Step, field: str, argument: Argument) -> str:
    key, start = step.key(field), str(argument.default)

    def draw(left: DeltaGenerator) -> str:
        address.settle_choice(key, argument.choices, start)
        chosen = left.pills(
            f"`{argument.name}`", argument.choices, key=key, required=True, wrap=True
        )
        value = str(chosen or start)
        address.write(key, value, start)
        return value

    return step.read(field, start, draw)


def _number(step: Step, field: str, name: str, start: NumberT, increment: NumberT) -> NumberT:
    key = step.key(field)

    def draw(left: DeltaGenerator) -> NumberT:
        value = left.number_input(
            f"`{name}`",
            value=start,
            step=increment,
            format="%d" if isinstance(start, int) else "%g",
            key=key,
            bind=address.binding(key),
        )
        return start if value is None else value

    return step.read(field, start, draw)
