"""Reads what a child wrote, as what it is: bytes from an attacker."""

import json
import math
import re
from typing import NoReturn

from playground.sandbox.json_values import JsonObject, JsonValue
from playground.sandbox.limits import Limits

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


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


def plain_text(text: str) -> str:
    r"""Leave out what a terminal or a browser would obey instead of show.

    >>> plain_text("\x1b[31mred\x1b[0m\r\nnext\x00")
    'red\nnext'
    """
    return _INVISIBLE.sub("", _ESCAPES.sub("", text))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _sound(value: JsonValue, depth: int) -> JsonValue:
    """Copy a value without what JSON should not be able to say."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not finite")
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        raise ValueError("too deep")
    if isinstance(value, list):
        return [_sound(item, depth - 1) for item in value]
    return {str(_sound(key, 0)): _sound(item, depth - 1) for key, item in value.items()}
