"""The messages that one run of a page's script sent back."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from benchmarks.sample import Sample


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the server.

    Args:
        kind: The element ("markdown", "html"), or the type of another message.
        size_bytes: Its size on the websocket.
        arrived: The reading of ``time.perf_counter`` when it came.
        fragment: The fragment that drew it; "" for the page itself.
        place: "main", "sidebar" or "".
    """

    kind: str
    size_bytes: int
    arrived: float
    fragment: str = ""
    place: str = ""


@dataclass(slots=True)
class Run:
    """One run, from the click to its last message."""

    asked: float
    finished: float = 0.0
    messages: list[Message] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def then(self, later: "Run") -> "Run":
        """Both runs as one, without the pause between them."""
        return Run(
            asked=later.asked - (self.finished - self.asked),
            finished=later.finished,
            messages=self.messages + later.messages,
            errors=self.errors + later.errors,
        )

    @property
    def milliseconds(self) -> float:
        """From the click to the end of the run."""
        return (self.finished - self.asked) * 1e3

    @property
    def kilobytes(self) -> float:
        """All that came."""
        return sum(message.size_bytes for message in self.messages) / 1e3

    @property
    def largest(self) -> Message:
        """The largest message."""
        return max(self.messages, key=lambda message: message.size_bytes)


def times(runs: list[Run]) -> Sample:
    """Durations of runs, in milliseconds."""
    return Sample.of(run.milliseconds for run in runs)


def sizes(runs: list[Run]) -> Sample:
    """Sizes of what runs sent, in kilobytes."""
    return Sample.of(run.kilobytes for run in runs)


def describe_errors(runs: Iterable[Run]) -> str:
    """Return the errors of runs in a sentence."""
    errors = Counter(error for run in runs for error in run.errors)
    if not errors:
        return "No error."
    return f"Errors: {', '.join(f'{count} × {error}' for error, count in errors.items())}."
