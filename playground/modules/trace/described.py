"""What went into a module and what came out, as plain values; consumes no generator."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import torch

from playground.modules.forward_trace import Described, Group, Shape

MOST_ITEMS = 64  # of one container; then "…"
MOST_DEPTH = 8  # of containers in containers; also ends a list that holds itself
MOST_LETTERS = 40  # of a text
LEFT_OUT = "…"
PLAIN = (bool, int, float, complex, type(None), torch.dtype, torch.device)
SEQUENCES = (tuple, list, set, frozenset)


def describe(value: Any, tensors: list[torch.Tensor], depth: int = 0) -> Described:
    """Describe one value, and note the tensors in it.

    Args:
        value: Anything; nothing in it is altered or consumed.
        tensors: Receives every tensor, in order.
        depth: In how many containers it lies.
    """
    kind = type(value)
    try:
        if kind is torch.Tensor:
            shape = tuple(value.shape)
            tensors.append(value)
            return shape
        return _describe(value, kind, tensors, depth)
    except Exception:  # noqa: BLE001 - of any class, which may refuse to be looked at in any way
        return f"<{kind.__name__}>"


def _describe(value: Any, kind: type, tensors: list[torch.Tensor], depth: int) -> Described:
    if issubclass(kind, torch.Tensor):
        shape = _shape_of(value)
        if shape is not None:
            tensors.append(value)
            return shape
        return f"<{kind.__name__}>"
    if issubclass(kind, str | bytes):
        return repr(value[:MOST_LETTERS])
    if issubclass(kind, PLAIN):
        return str(value)
    if depth == MOST_DEPTH:
        return LEFT_OUT
    if issubclass(kind, SEQUENCES):
        return _sequence(value, tensors, depth)
    if issubclass(kind, Mapping):
        return _named(value, dict(value.items()), tensors, depth)
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
        fields = {name: getattr(value, name) for name in names if hasattr(value, name)}
        return _named(value, fields, tensors, depth, is_field=True)
    return f"<{kind.__name__}>"


def describe_call(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Group:
    """Describe the inputs of a call."""
    unused: list[torch.Tensor] = []
    if len(args) == 1 and not kwargs:
        return Group("call", (describe(args[0], unused),), ("",))
    items = [describe(value, unused) for value in (*args, *kwargs.values())]
    return Group("call", tuple(items), ("",) * len(args) + tuple(kwargs))


def bytes_of(tensors: list[torch.Tensor]) -> int:
    """The bytes of all elements; views count as if each had memory of its own."""
    return sum(math.prod(_shape_of(each) or (0,)) * each.dtype.itemsize for each in tensors)


def _shape_of(tensor: torch.Tensor) -> Shape | None:
    try:
        return tuple(int(size) for size in tensor.shape)
    except (RuntimeError, TypeError):  # a nested or uninitialised tensor has no single shape
        return None


def _sequence(value: Any, tensors: list[torch.Tensor], depth: int) -> Described:
    kind = type(value)
    names = getattr(kind, "_fields", ())
    if issubclass(kind, tuple) and names and len(names) == len(value):
        return _named(value, dict(zip(names, value, strict=True)), tensors, depth, is_field=True)
    held = list(value)
    items = [describe(each, tensors, depth + 1) for each in held[:MOST_ITEMS]]
    if len(held) > MOST_ITEMS:
        items.append(LEFT_OUT)
    return Group(kind.__name__, tuple(items))


def _named(
    value: Any,
    held: Mapping[Any, Any],
    tensors: list[torch.Tensor],
    depth: int,
    *,
    is_field: bool = False,
) -> Described:
    shown = list(held.items())[:MOST_ITEMS]
    names = [str(key) if is_field else _written(key) for key, _ in shown]
    items = [describe(each, tensors, depth + 1) for _, each in shown]
    if len(held) > MOST_ITEMS:
        names.append(LEFT_OUT)
        items.append(LEFT_OUT)
    return Group(type(value).__name__, tuple(items), tuple(names))


def _written(key: object) -> str:
    is_plain = type(key) in (str, int, bool, float, bytes, type(None))
    return repr(key)[:MOST_LETTERS] if is_plain else f"<{type(key).__name__}>"
