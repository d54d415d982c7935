"""What a worker sends back: a pickled report, a playground error, or a failure to be logged."""

from dataclasses import dataclass

from playground.errors import PlaygroundError


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error that the experiment should not have raised.

    Attributes:
        traceback: Where it was raised, for the log only; not what it said.
    """

    experiment: str
    error_type: str
    traceback: str


Answer = bytes | PlaygroundError | Failure
