"""What comes back from the jail; everything in it was written by a stranger."""

from dataclasses import dataclass
from enum import StrEnum

from playground.sandbox.json_values import JsonObject


class StoppedBecause(StrEnum):
    """Why a run ended without a value."""

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
    """How one run ended.

    Every text in it is a stranger's: show it as plain text only, never as markup.

    Attributes:
        value: What the task returned; ``None`` where it was stopped.
        first: What the task sent ahead, whatever stopped it afterwards; ``None`` where it sent
            nothing ahead.
        output: What it wrote to its standard output, made fit to be shown.
        stopped_because: ``None`` where the task returned.
        failure: Type and message of what the task raised, one line; for the operator.
        signal: The signal it died of; 0 where it did not.
        elapsed_seconds: From its beginning to its answer, or to its end where it gave none.
        cpu_seconds: What it computed; 0 where it answered, since its end was not waited for.
        waited_seconds: How long it stood in the queue.
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
        """Whether there is a value."""
        return self.stopped_because is None
