"""Reads what a child wrote, as what it is: bytes from an attacker."""

import json
import math
from dataclasses import dataclass
from typing import NoReturn

from playground.sandbox.json_values import JsonObject, JsonValue
from playground.sandbox.limits import Limits


def read_answer(text: bytes, limits: Limits) -> JsonObject | None:
    """Decode what a child wrote, if it is exactly one JSON object of finite size.

    Args:
        text: What was read from its pipe, at most ``limits.result_bytes``.
        limits: How deep it may be nested.

    Returns:
        The object; ``None`` where there is none. Lone surrogates in its strings are replaced.

    >>> read_answer(b'{"value": {"x": 1}}', Limits())
    {'value': {'x': 1}}
    >>> read_answer(b'{"value": NaN}', Limits()) is None
    True
    """
    try:
        told: JsonValue = json.loads(text.decode("utf-8", "replace"), parse_constant=_refuse)
        sound = _sound(told, limits.result_depth)
    except (ValueError, RecursionError):
        return None
    return sound if isinstance(sound, dict) else None


@dataclass(frozen=True, slots=True)
class Told:
    """What a child has written.

    Attributes:
        first: What it sent ahead; ``None`` where it answers in one part.
        last: Its answer; ``None`` where there is none.
    """

    first: JsonObject | None = None
    last: JsonObject | None = None


def read_parts(text: bytes, limits: Limits) -> Told:
    """Decode an answer in one part or in two.

    Args:
        text: What was read from its pipe, at most ``limits.result_bytes``.
        limits: How deep it may be nested.

    >>> read_parts(b'{"first": {"x": 1}}\\n{"value": {}}', Limits())
    Told(first={'x': 1}, last={'value': {}})
    >>> read_parts(b'{"first": {"x": 1}}\\n', Limits())
    Told(first={'x': 1}, last=None)
    """
    head, is_ended, rest = text.partition(b"\n")
    told = read_answer(head, limits) if is_ended and head.startswith(b'{"first"') else None
    match told:
        case {"first": dict(first), **others} if not others:
            return Told(first, read_answer(rest, limits))
    return Told(None, read_answer(text, limits))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _sound(value: JsonValue, depth: int) -> JsonValue:
    """A value without what JSON should not be able to say; changed in place, a copy takes room."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not finite")
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        raise ValueError("too deep")
    if isinstance(value, list):
        for place, item in enumerate(value):
            value[place] = _sound(item, depth - 1)
        return value
    for key in list(value):
        value[str(_sound(key, 0))] = _sound(value.pop(key), depth - 1)
    return value
