"""What an argument of a layer may be: plain, finite, bounded values that are written as code."""

import math
from collections.abc import Sequence  # noqa: TC003  # the alias is read at run time by typing.get_type_hints
from typing import TypeAlias

from playground.errors import InvalidSpecError

Value: TypeAlias = "bool | int | float | str | tuple[Value, ...] | None"
Given: TypeAlias = "bool | int | float | str | Sequence[Given] | None"  # lists are welcome

LARGEST_INTEGER = 2**63 - 1  # torch's sizes are 64 bits wide
MOST_CHARACTERS = 64
MOST_ITEMS = 64
MOST_NESTING = 8  # a layer as an argument takes three


def frozen(value: object, *, type: str, argument: str, depth: int = 0) -> Value:
    """A value as plain frozen data.

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
        if len(value) > MOST_CHARACTERS or not value.isprintable():
            raise InvalidSpecError("spec_text", type=type, argument=argument, most=MOST_CHARACTERS)
        return value
    if isinstance(value, list | tuple) and len(value) <= MOST_ITEMS and depth < MOST_NESTING:
        return tuple(frozen(item, type=type, argument=argument, depth=depth + 1) for item in value)
    raise InvalidSpecError("spec_value", type=type, argument=argument)


def plain(value: Value) -> object:
    """A value as JSON has it: tuples as lists."""
    return [plain(item) for item in value] if isinstance(value, tuple) else value
