"""What the jail's child answers about a cell; plain values, written there and read back here."""

from dataclasses import dataclass
from typing import ClassVar

from playground.sandbox.figures import Figure
from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.module_report import ModuleReport


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedWarning:
    """A warning of Python or torch.

    Attributes:
        line: Of the cell; None where it is not known.
    """

    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAnswer:
    """What became of a cell; what it printed travels beside it.

    Attributes:
        value: The last expression's, as a notebook shows it; None where there is none.
        value_total: How many elements it has, where not all are shown.
        result: What the cell bound to ``result``, as ``literal`` writes it; empty without.
        error_type: The class of what was raised; empty where nothing was.
        message: Its text, as Python or torch words it.
        line: The deepest line of the cell that was being run then, from 1.
        column: Where in it, from 1.
        top_line: The line of the statement of the cell that was being run.
        stopped_because: A limit that the child itself noticed.
        needed_bytes: The memory that could not be had; 0 where not known.
        is_recursion: Calls in calls without an end were the reason.
        warnings: Each once.
        figures: What was plotted.
    """

    MAX_WARNINGS: ClassVar[int] = 10

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
    figures: tuple[Figure, ...] = ()

    def __post_init__(self) -> None:
        """Refuse more than a page shows."""
        numbers = sum(series.numbers for figure in self.figures for series in figure.series)
        if len(self.figures) > Figure.MOST_FIGURES or numbers > Figure.MOST_NUMBERS:
            raise ValueError("more figures than are shown")
        if len(self.warnings) > self.MAX_WARNINGS:
            raise ValueError("more warnings than are shown")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModulesAnswer:
    """What was made of ``nn.Module``; follows a ``CellAnswer``, which stands without it.

    Attributes:
        stopped_because: A limit that ended the look at them.
    """

    modules: tuple[ModuleReport, ...] = ()
    stopped_because: StoppedBecause | None = None

    def __post_init__(self) -> None:
        """Refuse more than a page shows."""
        if len(self.modules) > ModuleReport.MOST_MODULES:
            raise ValueError("more modules than are shown")
