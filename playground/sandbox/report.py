"""What the page is told about a run of a student's cell."""

from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.sandbox.cell_answer import CellAnswer, ModulesAnswer, NotedWarning
from playground.sandbox.check import Finding
from playground.sandbox.figures import Figure
from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.module_report import ModuleReport
from playground.sandbox.sentences import Sentence
from playground.steps.recording import Line

NO_MODULES = ModulesAnswer()


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxReport:
    """A run, or why there was none. Every text is the student's: plain text, never markup.

    Attributes:
        ok: The cell ran to its end.
        output: What it printed.
        value: The last expression's, as a notebook shows it; None where there is none.
        value_total: How many elements it has, where not all are shown.
        result: What it bound to ``result``, as ``cell.literal`` writes it.
        error_type: The class of what was raised; empty where nothing was.
        message: Its text, as Python or torch words it.
        line: The deepest line of the cell that was being run then, or that a finding is about.
        column: Where in that line, from 1.
        top_line: The line of the statement that was being run; ``line`` where no function of the
            cell was called.
        stopped_because: Which limit ended it.
        explanation: A sentence about it, by its id, for both languages; where the cell ran to its
            end, about what kept its modules from being looked at.
        warnings: Of Python and torch, each once.
        figures: What it plotted.
        lines: What its lines bound and printed, those left out that did neither.
        modules: What it made of ``nn.Module``.
        elapsed_seconds: From the start of its process to its end.
        waited_seconds: In the queue before.
        findings: What the check refused; then nothing was run.
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
    figures: tuple[Figure, ...] = ()
    lines: tuple[Line, ...] = ()
    modules: tuple[ModuleReport, ...] = ()
    elapsed_seconds: float = 0.0
    waited_seconds: float = 0.0
    findings: tuple[Finding, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Whether it worked, in the form in which experiments say it."""
        return Outcome(ok=self.ok, error_type=self.error_type, message=self.message)


def refused(findings: tuple[Finding, ...]) -> SandboxReport:
    """The report where the check has refused the cell."""
    first = findings[0]
    return SandboxReport(ok=False, findings=findings, line=first.line, column=first.column)


def reported(
    told: CellAnswer,
    seen: ModulesAnswer = NO_MODULES,
    *,
    output: str,
    explanation: Sentence | None,
    elapsed_seconds: float,
    waited_seconds: float,
) -> SandboxReport:
    """The report of a cell that has answered."""
    return SandboxReport(
        ok=told.stopped_because is None and not told.error_type,
        output=output,
        value=told.value,
        value_total=told.value_total,
        result=told.result,
        error_type=told.error_type,
        message=told.message,
        line=told.line,
        column=told.column,
        top_line=told.top_line,
        stopped_because=told.stopped_because,
        explanation=explanation,
        warnings=told.warnings,
        figures=told.figures,
        lines=told.lines,
        modules=seen.modules,
        elapsed_seconds=elapsed_seconds,
        waited_seconds=waited_seconds,
    )
