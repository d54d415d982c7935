"""The report of a run of a student's cell, as the page shows it.

Sentences about the limits are ids with values; their words are in ``sentences.toml``.
"""

import functools
from dataclasses import dataclass
from pathlib import Path

import tomli

from playground.errors import Outcome
from playground.sandbox.cell_answer import CellAnswer, Descent, ModulesAnswer, NotedWarning
from playground.sandbox.check import Finding
from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.live import Bar
from playground.sandbox.live_run import Snapshot
from playground.sandbox.module_report import ModuleReport
from playground.sandbox.picture import Picture
from playground.steps.line_recorder import Line

NO_MODULES = ModulesAnswer()
SENTENCES_FILE = Path(__file__).with_name("sentences.toml")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence about a limit.

    Attributes:
        id: Which one.
        values: What it mentions, by name.

    >>> Sentence("cpu", (("seconds", "2"),)).say("en")
    'Stopped after 2 s of computing.'
    """

    id: str
    values: tuple[tuple[str, str], ...] = ()

    def say(self, language: str) -> str:
        """Format the sentence in a language, ``"en"`` or ``"zh"``."""
        return sentences()[self.id][language].format(**dict(self.values))


@functools.cache
def sentences() -> dict[str, dict[str, str]]:
    """Return all sentences, by id and language."""
    return tomli.loads(SENTENCES_FILE.read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxReport:
    """A run, or why there was none. Every text is the student's: plain text, never markup.

    Attributes:
        ok: The cell ran to its end.
        output: What it printed.
        value: The last expression's, as a notebook shows it; None where there is none.
        value_total: How many elements it has, where not all are shown.
        result: What it bound to ``result``, as ``cell.display.literal_repr`` writes it.
        error_type: The class of what was raised; empty where nothing was.
        message: Its text, as Python or torch words it.
        line: The deepest line of the cell that was being run then, or that a violation is about.
        column: Where in that line, from 1.
        top_line: The line of the statement that was being run; ``line`` where no function of the
            cell was called.
        stopped_because: Which limit ended it.
        explanation: A sentence about it, by its id, for both languages; where the cell ran to its
            end, about why its modules were not inspected.
        warnings: Of Python and torch, each once.
        figures: What it has drawn.
        bars: Its progress bars, as they were at the end.
        lines: What its lines bound and printed, those left out that did neither.
        modules: What it made of ``nn.Module``.
        descent: How its loss has changed; None if it called no ``backward``.
        elapsed_seconds: From the start of its process to its end.
        waited_seconds: In the queue before.
        violations: Refusals of the check; then nothing was run.
        notes: Its other findings: advice, and what was done in another way.
        fix: The number and the new text of a line with which the program ran to its end.
    """

    ok: bool
    output: str = ""
    value: str | None = None
    value_total: int | None = None
    result: str = ""
    error_type: str = ""
    message: str = ""
    line: int | None = None
    column: int | None = None
    top_line: int | None = None
    stopped_because: StoppedBecause | None = None
    explanation: Sentence | None = None
    warnings: tuple[NotedWarning, ...] = ()
    figures: tuple[Picture, ...] = ()
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    modules: tuple[ModuleReport, ...] = ()
    descent: Descent | None = None
    elapsed_seconds: float = 0.0
    waited_seconds: float = 0.0
    violations: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    fix: tuple[int, str] | None = None

    @property
    def outcome(self) -> Outcome:
        """Success or error, in the form of the experiments' results."""
        return Outcome(ok=self.ok, error_type=self.error_type, message=self.message)


def refused(violations: tuple[Finding, ...]) -> SandboxReport:
    """Report a cell that the check has refused."""
    first = violations[0]
    return SandboxReport(ok=False, violations=violations, line=first.line, column=first.column)


def reported(
    cell: CellAnswer,
    modules: ModulesAnswer = NO_MODULES,
    live: Snapshot = Snapshot(),  # noqa: B008 - a frozen record
    *,
    output: str,
    explanation: Sentence | None,
    elapsed_seconds: float,
    waited_seconds: float,
) -> SandboxReport:
    """Report a cell that has answered, or was ended: then of what it had said before.

    Args:
        cell: Its answer.
        modules: The answer about its modules.
        live: What was known of the run when it ended.
        output: What it printed.
        explanation: Which limit it met.
        elapsed_seconds: From the start of its process to its end.
        waited_seconds: In the queue before.
    """
    is_cut_off = cell.stopped_because is not None and cell.line is None
    return SandboxReport(
        ok=cell.stopped_because is None and not cell.error_type,
        output=output,
        value=cell.value,
        value_total=cell.value_total,
        result=cell.result,
        error_type=cell.error_type,
        message=cell.message,
        line=live.line if is_cut_off else cell.line,
        column=cell.column,
        top_line=cell.top_line,
        stopped_because=cell.stopped_because,
        explanation=explanation,
        warnings=cell.warnings,
        figures=live.figures,
        bars=live.bars,
        lines=cell.lines or live.lines,
        modules=modules.modules,
        descent=cell.descent,
        elapsed_seconds=elapsed_seconds,
        waited_seconds=waited_seconds,
    )
