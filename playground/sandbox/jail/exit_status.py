"""Exit status of a child and its reason: judged by the process first, then by its answer."""

import json
from dataclasses import asdict, dataclass
from typing import Self

from playground.sandbox.jail.answer import AnswerParts, JailAnswer, StoppedBecause, read_parts
from playground.sandbox.limits import Limits
from playground.sandbox.text import clean

KILLED, OUT_OF_CPU_TIME = 9, 24  # SIGKILL and SIGXCPU, which some systems lack


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitStatus:
    """Exit status of a child, as the zygote saw it.

    Attributes:
        exit_code: Of the process; 0 where a signal ended it.
        signal: The signal that ended it, or 0.
        is_overdue: The zygote ended it because its time was over.
        is_oversized: The zygote ended it because it held too much memory.
        is_cancelled: Whoever started it has ended it.
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
