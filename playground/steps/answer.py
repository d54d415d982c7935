"""The records that a step returns: its answer, its progress and its picture, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playground.errors import Outcome
from playground.steps.line_recorder import Line

Plain = str | int | float | bool | None
Labels = dict[str, str]  # the short texts of a step in one language, by label id


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The result of a step's program; it can be pickled and compared, and holds no tensor.

    Attributes:
        prediction: The id of the answer to the question, as in the step's words.
        ties: Ids of other answers that are right as well.
        explanation: The id of the explanation that fits this case.
        facts: Results by label id, in the order shown; None means absent and is not shown.
        placeholders: Further values for the texts, which may use the facts too.
        table: Rows; the first one holds the label ids of the columns. A cell that is a label id is
            shown as this label.
        fix: The line to change and the line that replaces it, run before it is offered.
        data: Plain data for the picture.
        file: A file that the program wrote and the page inspects without loading it.
        is_silent_failure: No error was raised, but the result is not the intended one.
        outcome: Success, or PyTorch's own error.
        lines: The records of the program's lines.
        stopped_at: The line of the top-level statement that raised; None if none did.
    """

    prediction: str
    explanation: str
    facts: Mapping[str, Plain] = field(default_factory=dict)
    placeholders: Mapping[str, Plain] = field(default_factory=dict)
    table: tuple[tuple[Plain, ...], ...] = ()
    fix: tuple[str, str] | None = None
    data: Any = None
    file: bytes = field(default=b"", repr=False)
    is_silent_failure: bool = False
    outcome: Outcome = Outcome(ok=True)
    lines: tuple[Line, ...] = ()
    stopped_at: int | None = None
    ties: tuple[str, ...] = ()

    def is_right(self, said: str) -> bool:
        """Return whether a prediction is right; one of several ties is."""
        return said == self.prediction or said in self.ties

    @property
    def values(self) -> Mapping[str, Plain]:
        """All values that a text may use."""
        return {**self.facts, **self.placeholders}

    @property
    def printed(self) -> str:
        """The output of the program."""
        return "".join(line.printed for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a step's experiment, shown while it runs.

    Attributes:
        fraction: The part that is done, from 0 to 1.
        facts: Intermediate results by label id; None means that a result cannot be known.
        data: Plain data for ``Step.live_picture``.
    """

    fraction: float
    facts: Mapping[str, Plain] = field(default_factory=dict)
    data: Any = None


@dataclass(frozen=True, slots=True)
class Picture:
    """An inline SVG picture and the values of its alternative text.

    Attributes:
        svg: The colours are CSS variables, so one picture serves light and dark. Elements with a
            ``data-id`` move to their position in the next picture.
    """

    svg: str
    values: Mapping[str, Plain] = field(default_factory=dict)
