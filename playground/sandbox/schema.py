"""Reads records from JSON values that a stranger has written, exactly as their types say.

Nothing is guessed and nothing left over: a missing or an unknown key, a number that is not finite,
a value of another type are refused. Text is cleaned and cut.
"""

import dataclasses
import functools
import math
import types
from enum import Enum
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from playground.sandbox.text import clean, cut

T = TypeVar("T")
MOST_LETTERS = 70_000  # of one text
LARGEST = 2**63  # of a whole number


def read(kind: type[T], value: object) -> T:
    """Make a record of what ``json.loads`` gave.

    Args:
        kind: A dataclass of plain values, tuples, unions, enums and further dataclasses.
        value: The JSON value.

    Raises:
        ValueError: It is not what ``kind`` says.

    >>> from playground.sandbox.figures import Series, SeriesKind
    >>> read(SeriesKind, "line")
    <SeriesKind.LINE: 'line'>
    """
    found: T = _read(kind, value)
    return found


def write(value: Any) -> Any:
    """The JSON value of a record; ``read`` makes the record of it again."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: write(getattr(value, name)) for name in _hints(type(value))}
    if isinstance(value, tuple | list):
        return [write(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    return value


def _read(kind: Any, value: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(kind), value)
    if origin is tuple:
        return _tuple(get_args(kind), value)
    if dataclasses.is_dataclass(kind):
        return _record(kind, value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    return _plain(kind, value)


def _record(kind: Any, value: Any) -> Any:
    hints = _hints(kind)
    if not isinstance(value, dict) or value.keys() != hints.keys():
        raise ValueError(f"not a {kind.__name__}")
    return kind(**{name: _read(hint, value[name]) for name, hint in hints.items()})


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind) if field.init}


def _tuple(items: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError("not a list")
    if len(items) == 2 and items[1] is Ellipsis:
        return tuple([_read(items[0], each) for each in value])
    if len(items) != len(value):
        raise ValueError("a list of another length")
    return tuple([_read(item, each) for item, each in zip(items, value, strict=True)])


def _one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    for kind in kinds:
        try:
            return _read(kind, value)
        except (ValueError, TypeError):
            continue
    raise ValueError("of none of the types")


def _plain(kind: Any, value: Any) -> Any:
    if kind is str and isinstance(value, str):
        return cut(clean(value), MOST_LETTERS)
    if kind is float and type(value) in (int, float):
        return _finite(value)
    if kind in (bool, int, type(None)) and type(value) is kind:
        if kind is int and abs(value) > LARGEST:
            raise ValueError("too large a number")
        return value
    raise ValueError(f"not a {getattr(kind, '__name__', kind)}")


def _finite(value: float) -> float:
    try:
        number = float(value)
    except OverflowError as error:
        raise ValueError("too large a number") from error
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number
