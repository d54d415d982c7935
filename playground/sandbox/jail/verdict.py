"""Says how a run ended: from what was seen of its process first, and from what it wrote second."""

from playground.sandbox.jail.answer import JailAnswer, StoppedBecause
from playground.sandbox.jail.reader import Told, read_parts
from playground.sandbox.jail.request import Ending
from playground.sandbox.limits import Limits
from playground.sandbox.text import clean

KILLED, OUT_OF_CPU_TIME = 9, 24  # SIGKILL and SIGXCPU, which not every system has


def judge(ending: Ending, result: bytes, output: bytes, limits: Limits) -> JailAnswer:
    """Say how a run ended.

    Args:
        ending: Of its process.
        result: What it wrote as its answer, at most one byte more than allowed.
        output: What it printed, likewise.
        limits: Of the run.
    """
    told = read_parts(result, limits) if len(result) <= limits.result_bytes else Told()
    because, value, failure = _reason(ending, len(result), len(output), limits), None, ""
    if because is None:
        match told.last:
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
        first=None if because is StoppedBecause.OUTPUT else told.first,
        output=clean(output[: limits.output_bytes].decode("utf-8", "replace")),
        stopped_because=because,
        failure=failure,
        signal=ending.signal,
        elapsed_seconds=ending.elapsed_seconds,
        cpu_seconds=ending.cpu_seconds,
    )


def _reason(ending: Ending, told: int, printed: int, limits: Limits) -> StoppedBecause | None:
    if printed > limits.output_bytes:
        return StoppedBecause.OUTPUT
    if told > limits.result_bytes:
        return StoppedBecause.RESULT_TOO_LARGE
    if ending.is_overdue:
        return StoppedBecause.WALL
    if ending.is_oversized:
        return StoppedBecause.MEMORY
    if ending.signal == OUT_OF_CPU_TIME:
        return StoppedBecause.CPU
    if ending.signal == KILLED and ending.cpu_seconds > limits.cpu_hard_seconds - 0.5:
        return StoppedBecause.CPU
    if ending.signal:
        return StoppedBecause.CRASHED
    if ending.exit_code:
        return StoppedBecause.NO_RESULT
    return None
