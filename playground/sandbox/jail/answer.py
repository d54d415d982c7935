"""Answers of the jail, and why a run ended without one; all in them was written by untrusted code.

The reason is judged by the process first, then by what it wrote.
"""

import json
import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import NoReturn, Self

from playground.sandbox.limits import Limits
from playground.sandbox.schema import JsonObject, JsonValue
from playground.sandbox.text import clean


class StoppedBecause(StrEnum):
    """The reason why a run ended without a value."""

    STOPPED = "stopped"  # cancelled by the caller
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


KILLED, OUT_OF_CPU_TIME = 9, 24  # SIGKILL and SIGXCPU, which some systems lack


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitStatus:
    """Exit status of a child, as the zygote saw it.

    Attributes:
        exit_code: Of the process; 0 where a signal ended it.
        signal: The signal that ended it, or 0.
        is_overdue: The zygote ended it because its time was over.
        is_oversized: The zygote ended it because it held too much memory.
        is_cancelled: The caller has cancelled it.
        refused: Why the zygote did not fork at all; empty where it did.
        elapsed_seconds: From fork to end.
        cpu_seconds: What it computed.
    """

    exit_code: int = 0
    signal: int = 0
    is_overdue: bool = False
    is_oversized: bool = False
    is_cancelled: bool = False
    refused: str = ""
    elapsed_seconds: float = 0.0
    cpu_seconds: float = 0.0

    def to_bytes(self) -> bytes:
        """Encode it as one datagram."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> Self:
        """Decode one datagram."""
        return cls(**json.loads(text))


def classify(status: ExitStatus, result: bytes, output: bytes, limits: Limits) -> JailAnswer:
    """Classify how a run ended, and read its answer.

    Args:
        status: Of its process.
        result: What it wrote as its answer, at most one byte more than allowed.
        output: What it printed, likewise.
        limits: Of the run.
    """
    written = read_parts(result, limits) if len(result) <= limits.result_bytes else AnswerParts()
    because, value, failure = _reason(status, len(result), len(output), limits), None, ""
    if because is None:
        match written.last:
            case {"value": dict(given), **rest} if not rest:
                value = given
            case {"failed": str(given), **rest} if not rest:
                because, failure = StoppedBecause.FAILED, clean(given)
            case {"memory": True, **rest} if not rest:
                because = StoppedBecause.MEMORY
            case _:
                because = StoppedBecause.NO_RESULT
    return JailAnswer(
        value=value,
        first=None if because is StoppedBecause.OUTPUT else written.first,
        output=clean(output[: limits.output_bytes].decode("utf-8", "replace")),
        stopped_because=because,
        failure=failure,
        signal=status.signal,
        elapsed_seconds=status.elapsed_seconds,
        cpu_seconds=status.cpu_seconds,
    )


def _reason(
    status: ExitStatus, written: int, printed: int, limits: Limits
) -> StoppedBecause | None:
    if status.is_cancelled:
        return StoppedBecause.STOPPED
    if printed > limits.output_bytes:
        return StoppedBecause.OUTPUT
    if written > limits.result_bytes:
        return StoppedBecause.RESULT_TOO_LARGE
    if status.is_overdue:
        return StoppedBecause.WALL
    if status.is_oversized:
        return StoppedBecause.MEMORY
    if status.signal == OUT_OF_CPU_TIME:
        return StoppedBecause.CPU
    if status.signal == KILLED and status.cpu_seconds > limits.cpu_hard_seconds - 0.5:
        return StoppedBecause.CPU
    if status.signal:
        return StoppedBecause.CRASHED
    if status.exit_code:
        return StoppedBecause.NO_RESULT
    return None
