"""Reads records from JSON values that untrusted code has written, exactly as their types say.

Nothing is guessed and nothing left over: a missing or an unknown key, a number that is not finite,
a value of another type are refused. Text is cleaned and cut.
"""

import dataclasses
import functools
import math
import types
from collections.abc import Callable
from enum import Enum
from typing import Any, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from playground.sandbox.text import clean, cut

JsonValue: TypeAlias = "None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]"
JsonObject: TypeAlias = dict[str, JsonValue]
T = TypeVar("T")
MAX_CHARACTERS = 70_000  # of one text
MAX_INTEGER = 2**63  # of a whole number


def read(kind: type[T], value: object) -> T:
    """Read a record from a value of ``json.loads``.

    Args:
        kind: A dataclass of plain values, tuples, unions, enums and further dataclasses.
        value: The JSON value.

    Raises:
        ValueError: It is not what ``kind`` says.

    >>> from playground.sandbox.live import Bar
    >>> read(Bar, {"number": 1, "label": "epoch", "done": 3, "total": None})
    Bar(number=1, label='epoch', done=3, total=None)
    """
    found: T = _reader(kind)(value)
    return found


def write(value: Any) -> Any:
    """Return the JSON value of a record; ``read`` restores the record from it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: write(getattr(value, name)) for name in _hints(type(value))}
    if isinstance(value, tuple | list):
        return [write(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    return value


def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return the reader of values of a type."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return functools.partial(_one_of, tuple(map(_reader, get_args(kind))))
    if origin is tuple:
        items = get_args(kind)
        if len(items) == 2 and items[1] is Ellipsis:
            return functools.partial(_items, _reader(items[0]))
        return functools.partial(_tuple, tuple(map(_reader, items)))
    if dataclasses.is_dataclass(kind):
        return functools.partial(_record, kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return functools.partial(_plain, kind)


def _record(kind: Any, value: Any) -> Any:
    readers = _readers(kind)
    if not isinstance(value, dict) or value.keys() != readers.keys():
        raise ValueError(f"not a {kind.__name__}")
    return kind(**{name: read_field(value[name]) for name, read_field in readers.items()})


@functools.cache
def _readers(kind: type) -> dict[str, Callable[[Any], Any]]:
    """Return the readers of a record's fields, cached: an answer may hold thousands of records."""
    return {name: _reader(hint) for name, hint in _hints(kind).items()}


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind) if field.init}


def _items(read_item: Callable[[Any], Any], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError("not a list")
    return tuple(map(read_item, value))


def _tuple(readers: tuple[Callable[[Any], Any], ...], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list) or len(readers) != len(value):
        raise ValueError("not a list of this length")
    return tuple(read_item(each) for read_item, each in zip(readers, value, strict=True))


def _one_of(readers: tuple[Callable[[Any], Any], ...], value: Any) -> Any:
    for read_one in readers:
        try:
            return read_one(value)
        except (ValueError, TypeError):
            continue
    raise ValueError("of none of the types")


def _plain(kind: Any, value: Any) -> Any:
    if kind is str and isinstance(value, str):
        return cut(clean(value), MAX_CHARACTERS)
    if kind is float and type(value) in (int, float):
        return _finite(value)
    if kind in (bool, int, type(None)) and type(value) is kind:
        if kind is int and abs(value) > MAX_INTEGER:
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
