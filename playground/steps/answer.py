"""What a step answers: one record of plain data for all steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playground.compute.outcome import Outcome
from playground.steps.recording import Line

Plain = str | int | float | bool | None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What PyTorch did with a step's program; it pickles, compares and holds no tensor.

    Attributes:
        prediction: The id of the answer to the question, as in the step's words.
        explanation: The id of the explanation that fits this case.
        facts: Results by label id, in the order shown; None means absent and is not shown.
        placeholders: Further values for the texts; the facts may be mentioned as well.
        table: Rows; the first one holds the label ids of the columns.
        fix: The line to change and the line that replaces it, run before it is offered.
        data: Plain data for the picture.
        file: A file that the program wrote and the page inspects without loading it.
        is_silent_failure: Nothing was refused, and the result is not what was meant.
        outcome: Whether the program ran to its end, with PyTorch's own error where it did not.
        lines: What each line of the program assigned, printed or raised.
        stopped_at: The line of the top-level statement that raised; None where none did.
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

    @property
    def values(self) -> Mapping[str, Plain]:
        """All that a text may mention."""
        return {**self.facts, **self.placeholders}

    @property
    def printed(self) -> str:
        """All that the program printed."""
        return "".join(line.printed for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a step's experiment is, for a page that shows it meanwhile.

    Attributes:
        fraction: How much is done, from 0 to 1.
        facts: What it has come to, by label id; None says that it cannot be known.
        data: Plain data for ``Step.live_picture``.
    """

    fraction: float
    facts: Mapping[str, Plain] = field(default_factory=dict)
    data: Any = None


@dataclass(frozen=True, slots=True)
class Picture:
    """An inline SVG picture and the values that its alternative text mentions.

    Attributes:
        svg: Colours are CSS variables, so one picture serves light and dark; elements with a
            ``data-id`` glide to their place in the next picture.
    """

    svg: str
    values: Mapping[str, Plain] = field(default_factory=dict)
