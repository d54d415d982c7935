"""The parts of nodes: values, block kinds, names and copies; and the ``Shared`` node."""

import math
from collections.abc import Sequence  # noqa: TC003  # the alias is read at run time by typing.get_type_hints
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from playground.errors import InvalidSpecError
from playground.modules.spec import names
from playground.modules.spec.wires import MAX_WIRES, Wire, wires_of

Value: TypeAlias = "bool | int | float | str | tuple[Value, ...] | None"
Given: TypeAlias = "bool | int | float | str | Sequence[Given] | None"  # lists are welcome

LARGEST_INTEGER = 2**63 - 1  # torch's sizes are 64 bits wide
MAX_CHARACTERS = 64
MAX_ITEMS = 64
MAX_NESTING = 8  # a layer as an argument takes three
MAX_DEPTH = 12  # blocks within blocks
MAX_TIMES = 64
MAX_SHOWN = 40  # characters of a wrong name that a refusal repeats


def frozen(value: object, *, type: str, argument: str, depth: int = 0) -> Value:
    """Convert a value to plain frozen data.

    Args:
        value: What was given; a list becomes a tuple.
        type: The layer that it is for, to name it in a refusal.
        argument: The argument that it is for.
        depth: How deep it stands in another value.

    Raises:
        InvalidSpecError: It is no plain value, not finite, or too large.

    >>> frozen([2, 2], type="MaxPool2d", argument="kernel_size")
    (2, 2)
    """
    if value is None or value.__class__ is bool:
        return value
    if isinstance(value, int) and value.__class__ is int:
        if abs(value) > LARGEST_INTEGER:
            raise InvalidSpecError("spec_number", type=type, argument=argument)
        return value
    if isinstance(value, float) and value.__class__ is float:
        if not math.isfinite(value):
            raise InvalidSpecError("spec_number", type=type, argument=argument)
        return value
    if isinstance(value, str) and value.__class__ is str:
        if len(value) > MAX_CHARACTERS or not value.isprintable():
            raise InvalidSpecError("spec_text", type=type, argument=argument, most=MAX_CHARACTERS)
        return value
    if isinstance(value, list | tuple) and len(value) <= MAX_ITEMS and depth < MAX_NESTING:
        return tuple(frozen(item, type=type, argument=argument, depth=depth + 1) for item in value)
    raise InvalidSpecError("spec_value", type=type, argument=argument)


def plain(value: Value) -> object:
    """Convert a value to JSON: tuples become lists."""
    return [plain(item) for item in value] if isinstance(value, tuple) else value


class BlockKind(StrEnum):
    """The way in which a block calls its children.

    SEQUENTIAL: one after the other. RESIDUAL: the same, and the input is added to what comes out.
    ADD, MULTIPLY, CONCATENATE, TUPLE: each is given the input, and what comes out is added,
    multiplied, joined along a dimension, or returned together. Without children they join their own
    inputs.
    """

    SEQUENTIAL = "sequential"
    RESIDUAL = "residual"
    ADD = "add"
    MULTIPLY = "multiply"
    CONCATENATE = "concatenate"
    TUPLE = "tuple"

    @property
    def is_join(self) -> bool:
        """Its children are branches, whose outputs are joined."""
        return self not in (BlockKind.SEQUENTIAL, BlockKind.RESIDUAL)


@dataclass(frozen=True, slots=True)
class Shared:
    """An earlier node once more: the same module, with the same parameters.

    Args:
        of: The path of that node from the root, as torch writes it: ``"0"``, ``"encoder.hidden"``.
        name: What it is called in its block; without one, its number.
        inputs: Its wires; without any, what comes before it.
    """

    of: str
    name: str | None = None
    inputs: tuple[Wire, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", wires_of(self.inputs, type="Shared"))
        if not isinstance(self.of, str) or len(self.of) > (names.MAX_CHARACTERS + 1) * MAX_DEPTH:
            raise InvalidSpecError("spec_not_network")
        for part in self.of.split("."):
            if not names.is_child(part):
                raise InvalidSpecError("spec_unknown_shared", of=self.of)
        if self.name is not None:
            names.check_child(self.name, type="Shared")

    @property
    def times(self) -> int:
        return 1

    @property
    def depth(self) -> int:
        return 0

    @property
    def count(self) -> int:
        return 1

    def to_plain(self) -> dict[str, object]:
        """As JSON has it."""
        return {"shared": self.of} | plain_place(self.name, inputs=self.inputs)


def kind_of(kind: str) -> BlockKind:
    """Read the kind of a block.

    Raises:
        InvalidSpecError: There is no such kind.
    """
    try:
        return BlockKind(kind)
    except ValueError:
        raise InvalidSpecError("spec_unknown_layer", type=str(kind)[:MAX_SHOWN]) from None


def allow(given: dict[str, object], *fields: str, type: str) -> None:
    """Refuse fields that a node of this type does not have.

    Raises:
        InvalidSpecError: There is one.
    """
    for field in given:
        if field not in fields:
            raise InvalidSpecError("spec_field", type=type[:MAX_SHOWN], field=field[:MAX_SHOWN])


def check_name_and_times(name: object, times: object, *, type: str) -> None:
    """Refuse what cannot be the name of a node, or how often it stands.

    Raises:
        InvalidSpecError: One of them cannot.
    """
    if name is not None:
        names.check_child(name, type=type)
    if not isinstance(times, int) or isinstance(times, bool) or not 1 <= times <= MAX_TIMES:
        raise InvalidSpecError("spec_times", type=type, argument="times", most=MAX_TIMES)


def plain_place(
    name: str | None, times: int = 1, inputs: tuple[Wire, ...] = ()
) -> dict[str, object]:
    """As JSON has them: only what says something."""
    fields: dict[str, object] = {} if name is None else {"name": name}
    fields |= {} if times == 1 else {"times": times}
    return fields | ({"inputs": [str(wire) for wire in inputs]} if inputs else {})


def place_from_plain(value: dict[str, Any], *, type: str) -> dict[str, Any]:
    """Read name and wires of what ``plain_place`` returned; the value is untrusted."""
    wires = value.get("inputs", [])
    if not isinstance(wires, list) or len(wires) > MAX_WIRES:
        raise InvalidSpecError("spec_field", type=type[:MAX_SHOWN], field="inputs")
    return {"name": value.get("name"), "inputs": wires}


def renewed(type: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return what a layer of an older link is called today."""
    if type == "FirstOutput":
        return "Item", {"index": 0}
    if type == "FixedHiddenMLP":
        return type, {name: each for name, each in arguments.items() if name != "as_buffer"}
    return type, arguments
