"""Answers of the jail; everything in them was written by untrusted code."""

import json
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from playground.sandbox.limits import Limits
from playground.sandbox.schema import JsonObject, JsonValue


class StoppedBecause(StrEnum):
    """The reason why a run ended without a value."""

    STOPPED = "stopped"  # whoever started it ended it
    CPU = "cpu"  # it computed for too long
    WALL = "wall"  # it took too long, waiting included
    MEMORY = "memory"  # it wanted more memory than it may have
    OUTPUT = "output"  # it printed too much
    RESULT_TOO_LARGE = "result_too_large"  # its answer was longer than allowed
    CRASHED = "crashed"  # it died of a signal, e.g. inside a C++ routine
    FAILED = "failed"  # the task raised; ``failure`` has type and message
    NO_RESULT = "no_result"  # it ended without an answer, or what it answered is not one
    RESTARTED = "restarted"  # the jail itself was lost; a new one is being made


@dataclass(frozen=True, slots=True, kw_only=True)
class JailAnswer:
    """The result of one run.

    All texts are untrusted: show them as plain text only, never as markup.

    Attributes:
        value: The value that the task returned; ``None`` if it was stopped.
        first: The part that the task sent ahead, even if it was stopped afterwards; else ``None``.
        output: Its standard output, cleaned.
        stopped_because: ``None`` where the task returned.
        failure: Type and message of the task's error, one line; for the operator.
        signal: The signal it died of; 0 where it did not.
        elapsed_seconds: From its beginning to its answer, or to its end where it gave none.
        cpu_seconds: Its computing time; 0 if it answered, since its end was not awaited.
        waited_seconds: Its time in the queue.
    """

    value: JsonObject | None = None
    first: JsonObject | None = None
    output: str = ""
    stopped_because: StoppedBecause | None = None
    failure: str = ""
    signal: int = 0
    elapsed_seconds: float = 0.0
    cpu_seconds: float = 0.0
    waited_seconds: float = 0.0

    @property
    def is_ok(self) -> bool:
        """True if the task returned."""
        return self.stopped_because is None


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
        decoded: JsonValue = json.loads(text.decode("utf-8", "replace"), parse_constant=_refuse)
        sound = _sound(decoded, limits.result_depth)
    except (ValueError, RecursionError):
        return None
    return sound if isinstance(sound, dict) else None


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """The parts of an answer.

    Attributes:
        first: The part that it sent ahead; ``None`` if it answers in one part.
        last: Its answer; ``None`` if there is none.
    """

    first: JsonObject | None = None
    last: JsonObject | None = None


def read_parts(text: bytes, limits: Limits) -> AnswerParts:
    """Decode an answer in one part or in two.

    Args:
        text: What was read from its pipe, at most ``limits.result_bytes``.
        limits: How deep it may be nested.

    >>> read_parts(b'{"first": {"x": 1}}\\n{"value": {}}', Limits())
    AnswerParts(first={'x': 1}, last={'value': {}})
    >>> read_parts(b'{"first": {"x": 1}}\\n', Limits())
    AnswerParts(first={'x': 1}, last=None)
    """
    head, is_ended, rest = text.partition(b"\n")
    decoded = read_answer(head, limits) if is_ended and head.startswith(b'{"first"') else None
    match decoded:
        case {"first": dict(first), **others} if not others:
            return AnswerParts(first, read_answer(rest, limits))
    return AnswerParts(None, read_answer(text, limits))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _sound(value: JsonValue, depth: int) -> JsonValue:
    """Replace surrogates and refuse infinite numbers; in place, since a copy takes memory."""
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
