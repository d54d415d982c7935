"""Records of layers and their arguments, and the search for a layer. Free of torch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TypeAlias

Value: TypeAlias = None | bool | int | float | str | tuple["Value", ...]


@unique
class Group(StrEnum):
    """The headings under which torch's documentation lists its layers, in its order."""

    CONTAINERS = "containers"
    CONVOLUTION = "convolution"
    POOLING = "pooling"
    PADDING = "padding"
    ACTIVATION = "activation"  # non-linear activations (weighted sum, nonlinearity)
    ACTIVATION_OTHER = "activation_other"  # non-linear activations (other): softmax and its kin
    NORMALIZATION = "normalization"
    RECURRENT = "recurrent"
    TRANSFORMER = "transformer"
    LINEAR = "linear"
    DROPOUT = "dropout"
    SPARSE = "sparse"
    DISTANCE = "distance"
    VISION = "vision"
    SHUFFLE = "shuffle"
    UTILITIES = "utilities"
    CUSTOM = "custom"  # the lessons' own blocks, which torch does not list


@unique
class ArgumentKind(StrEnum):
    """The type of an argument, which decides the control that asks for it."""

    INTEGER = "integer"
    NUMBER = "number"
    SWITCH = "switch"
    CHOICE = "choice"  # one of ``choices``
    TEXT = "text"
    INTEGERS = "integers"  # one integer, or a tuple of them
    NUMBERS = "numbers"  # one number, or a tuple of them
    INTEGER_TUPLE = "integer_tuple"  # a tuple of integers, never one alone
    MODULE = "module"  # a layer: (type, ((argument, value), ...))


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a layer's constructor.

    Attributes:
        default: What is taken where nothing is given; None also where it is required.
        choices: The words it takes. Beside ``CHOICE``, an argument of another kind may take a few
            words too: the ``padding`` of a convolution is integers, or ``"same"``.
        lengths: How long a tuple may be; empty where there is no tuple, or any length will do.
        module_type: The type that a ``MODULE`` must have; None where any will do.
        is_keyword_only: It cannot be given by its place.
    """

    name: str
    kind: ArgumentKind
    default: Value = None
    is_required: bool = False
    allows_none: bool = False
    choices: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()
    module_type: str | None = None
    is_keyword_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleInput:
    """An input on which a layer with its example arguments really ran.

    Attributes:
        name: The parameter of ``forward``, e.g. ``"input"`` or ``"query"``.
        is_integer: Tokens or indices, at least 0 and below ``upper``; otherwise float32.
        upper: None for floats.
    """

    name: str
    shape: tuple[int, ...]
    is_integer: bool = False
    upper: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerType:
    """A class of layers.

    Attributes:
        name: The name of its class, e.g. ``"Linear"``.
        summary: The first sentence of its documentation, in torch's words.
        arguments: In the order of the constructor; those that only place memory, or that plain
            values cannot express, are left out.
        example_arguments: Values with which it can be built, every required one among them.
        example_inputs: What it ran on so; empty for a container that cannot be called.
        input_ranks: How many dimensions, of 1 to 5, its first input may have so.
        is_chainable: One tensor in, one tensor out: it can stand in a Sequential.
        is_container: It holds other modules or parameters; its arguments are its children.
        is_lazy: It reads its input sizes from its first input.
    """

    name: str
    group: Group
    summary: str
    arguments: tuple[Argument, ...] = ()
    example_arguments: tuple[tuple[str, Value], ...] = ()
    example_inputs: tuple[ExampleInput, ...] = ()
    input_ranks: tuple[int, ...] = ()
    is_chainable: bool = False
    is_container: bool = False
    is_lazy: bool = False

    @property
    def takes_integers(self) -> bool:
        """True if its first input holds tokens or indices."""
        return bool(self.example_inputs) and self.example_inputs[0].is_integer

    @property
    def required(self) -> tuple[Argument, ...]:
        """The arguments without a default."""
        return tuple(each for each in self.arguments if each.is_required)

    def argument(self, name: str) -> Argument | None:
        """Return the argument of a name, or None."""
        return next((each for each in self.arguments if each.name == name), None)


def grouped(layers: Iterable[LayerType]) -> dict[Group, tuple[LayerType, ...]]:
    """Put layers under their headings, in the order of ``Group``; no heading stands empty.

    >>> relu = LayerType(name="ReLU", group=Group.ACTIVATION, summary="")
    >>> linear = LayerType(name="Linear", group=Group.LINEAR, summary="")
    >>> list(grouped([linear, relu]))
    [<Group.ACTIVATION: 'activation'>, <Group.LINEAR: 'linear'>]
    """
    kept = tuple(layers)
    rows = {group: tuple(each for each in kept if each.group == group) for group in Group}
    return {group: row for group, row in rows.items() if row}


def search(
    layers: Iterable[LayerType], query: str, group_words: Mapping[Group, str] | None = None
) -> tuple[LayerType, ...]:
    """Find layers by words of their name, group or summary; the nearest name comes first.

    Args:
        layers: Where to look.
        query: Words in any order and case; each must be found. Nothing finds everything.
        group_words: What the groups are called in the visitor's language, so that these words
            find them too.

    >>> relu = LayerType(name="ReLU", group=Group.ACTIVATION, summary="Rectifies.")
    >>> leaky = LayerType(name="LeakyReLU", group=Group.ACTIVATION, summary="Leaks.")
    >>> [each.name for each in search([leaky, relu], "relu")]
    ['ReLU', 'LeakyReLU']
    """
    words = query.casefold().split()
    ranked = []
    for each in layers:
        name = each.name.casefold()
        spoken = (group_words or {}).get(each.group, "").casefold()
        ranks = [rank for word in words if (rank := _rank(each, name, word, spoken)) is not None]
        if len(ranks) == len(words):
            ranked.append(("".join(words) != name, sum(ranks), each))
    ranked.sort(key=lambda found: found[:2])  # stable: equally near ones keep their order
    return tuple(each for *_, each in ranked)


def _rank(layer: LayerType, name: str, word: str, spoken_group: str) -> int | None:
    """Rank how well a word matches a layer, 0 the best; None if it does not match."""
    tests = (
        name == word,
        name.startswith(word),
        word in name,
        word in layer.group.replace("_", " ") or word in spoken_group,
        word in layer.summary.casefold(),
    )
    return next((rank for rank, is_met in enumerate(tests) if is_met), None)
