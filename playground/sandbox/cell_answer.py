"""The answers of the jail's child about a cell: plain values, written there and read back here."""

import re
from dataclasses import dataclass
from typing import ClassVar

from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.module_report import ModuleReport
from playground.steps.line_recorder import MAX_PRINTED, MAX_REPR, Line, Note

DEVICE = re.compile(r"[a-z]{1,20}(:[0-9]{1,3})?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedWarning:
    """A warning of Python or torch.

    Attributes:
        line: Of the cell; None where it is not known.
    """

    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Descent:
    """The change of the scalars that a cell called ``backward`` on.

    Attributes:
        steps: How many there were.
        first: The mean of the first tenth of them.
        last: The mean of the last tenth.
        is_finite: All of them were; otherwise there are no means.
    """

    steps: int
    first: float = 0.0
    last: float = 0.0
    is_finite: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAnswer:
    """The result of a cell; its output travels beside it.

    Attributes:
        value: The last expression's, as a notebook shows it; None where there is none.
        value_total: How many elements it has, where not all are shown.
        result: What the cell bound to ``result``, as ``literal_repr`` writes it; empty without.
        error_type: The class of what was raised; empty where nothing was.
        message: Its text, as Python or torch words it.
        line: The deepest line of the cell that was being run then, from 1.
        column: Where in it, from 1.
        top_line: The line of the statement of the cell that was being run.
        stopped_because: A limit that the child itself noticed.
        needed_bytes: The memory that could not be allocated; 0 if unknown.
        is_recursion: Infinite recursion was the reason.
        warnings: Each once.
        lines: Bindings and output of lines, without those that have neither.
        descent: How its loss has changed; None if it called no ``backward``.
    """

    MAX_WARNINGS: ClassVar[int] = 10
    MAX_LINES: ClassVar[int] = 400
    MAX_NOTES: ClassVar[int] = 300  # of all lines together
    MAX_DEVICES: ClassVar[int] = 10  # of one note: eight GPUs, the CPU and meta

    value: str | None = None
    value_total: int | None = None
    result: str = ""
    error_type: str = ""
    message: str = ""
    line: int | None = None
    column: int | None = None
    top_line: int | None = None
    stopped_because: StoppedBecause | None = None
    needed_bytes: int = 0
    is_recursion: bool = False
    warnings: tuple[NotedWarning, ...] = ()
    lines: tuple[Line, ...] = ()
    descent: Descent | None = None

    def __post_init__(self) -> None:
        """Refuse more than a page shows."""
        if len(self.warnings) > self.MAX_WARNINGS:
            raise ValueError("more warnings than are shown")
        if (
            len(self.lines) > self.MAX_LINES
            or sum(map(_printed_characters, self.lines)) > MAX_PRINTED
        ):
            raise ValueError("more lines than are shown")
        notes = [note for line in self.lines for note in line.notes]
        if len(notes) > self.MAX_NOTES or not all(map(_is_short, notes)):
            raise ValueError("more notes than are shown")


def _printed_characters(line: Line) -> int:
    """Return how much a line printed; error and warnings belong to the whole cell."""
    if line.error or line.warnings:
        raise ValueError("an error or a warning in two places")
    return len(line.printed)


def _is_short(note: Note) -> bool:
    texts = (note.name, note.kind, note.size)
    return (
        max(map(len, texts)) <= MAX_REPR
        and len(note.devices) <= CellAnswer.MAX_DEVICES
        and all(map(DEVICE.fullmatch, note.devices))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModulesAnswer:
    """The modules of a cell; follows a ``CellAnswer``, which is valid without it.

    Attributes:
        stopped_because: A limit that ended their inspection.
    """

    modules: tuple[ModuleReport, ...] = ()
    stopped_because: StoppedBecause | None = None

    def __post_init__(self) -> None:
        """Refuse more than a page shows."""
        if len(self.modules) > ModuleReport.MAX_MODULES:
            raise ValueError("more modules than are shown")
