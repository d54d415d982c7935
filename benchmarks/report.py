"""BENCHMARKS.md: every figure beside its budget; the reasons that people gave survive rewriting.

The file has two parts, each measured by a command of its own: ``make bench`` writes all of it but
what stands between two marks, ``make bench-load`` only that.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.measurement import Budget, Measurement, Section, Statistic, Verdict

REASONS = Path(__file__).with_name("reasons.toml")
HEAD = ("what", "median", "p95", "empty page", "× empty", "budget", "verdict")
NO_REASON = "no reason given yet: benchmarks/reasons.toml"
CLASS_BEGIN, CLASS_END = "<!-- make bench-load: begin -->", "<!-- make bench-load: end -->"


def document(sections: Sequence[Section], machine: str, reasons: Mapping[str, str]) -> str:
    """The whole file.

    Args:
        sections: What was measured.
        machine: On what.
        reasons: Why a figure falls short, by its id.
    """
    parts = [
        "# Benchmarks",
        "Written by `make bench` (`python -m benchmarks`), and the last part, a class at work, by"
        " `make bench-load` (`python -m benchmarks.class_load`); not to be edited. The app and an"
        " empty Streamlit page, `benchmarks/empty_app/`, run in turn under the same production"
        " settings.",
        f"Measured on {machine}.",
        _met(sections),
        *(_section(section, reasons) for section in sections),
    ]
    return "\n\n".join(parts) + "\n"


def class_part(sections: Sequence[Section], machine: str, reasons: Mapping[str, str]) -> str:
    """The part of a class at work, between its marks; all its sections were taken in one way."""
    parts = [
        CLASS_BEGIN,
        "# A class at work",
        f"Measured on {machine}.",
        _met(sections),
        *(_section(section, reasons, has_how=False) for section in sections),
        *dict.fromkeys(f"How: {section.how}" for section in sections),
        CLASS_END,
    ]
    return "\n\n".join(parts) + "\n"


def with_class_part(text: str, part: str) -> str:
    """The whole file with another part of the class; the rest stays as it is."""
    before, _, rest = text.partition(CLASS_BEGIN)
    after = rest.partition(CLASS_END)[2].strip()
    return "\n\n".join(each for each in (before.strip(), part.strip(), after) if each) + "\n"


def kept_class_part(text: str) -> str:
    """The part of the class in a file; nothing where it has none."""
    _, begin, rest = text.partition(CLASS_BEGIN)
    inner, end, _ = rest.partition(CLASS_END)
    return f"{begin}{inner}{end}\n" if end else ""


def _met(sections: Sequence[Section]) -> str:
    figures = [figure for section in sections for figure in section.figures]
    verdicts = [figure.verdict for figure in figures if figure.budget]
    met = sum(verdict is Verdict.MET for verdict in verdicts)
    return f"**{met} of {len(verdicts)} budgets met.**"


def read_reasons() -> dict[str, str]:
    """Reasons why figures fall short, by their ids."""
    reasons: dict[str, str] = tomllib.loads(REASONS.read_text("utf-8"))
    return reasons


def _section(section: Section, reasons: Mapping[str, str], *, has_how: bool = True) -> str:
    parts = [f"## {section.title}"]
    if section.figures:
        parts.append(table(HEAD, [row(figure) for figure in section.figures]))
    parts += [
        f"- {figure.what}: {reasons.get(figure.id, NO_REASON)} (`{figure.id}`)"
        for figure in section.figures
        if figure.verdict is Verdict.NOT_MET
    ]
    if has_how:
        parts.append(f"How: {section.how}")
    if section.remarks:
        parts.append(" ".join(section.remarks))
    return "\n\n".join(parts)


def row(figure: Measurement) -> tuple[str, ...]:
    """A figure as the cells of a table."""
    sample, empty = figure.sample, figure.empty
    is_single = len(sample.readings) < 2
    return (
        figure.what,
        with_unit(sample.median, figure.unit),
        "" if is_single else with_unit(sample.p95, figure.unit),
        "" if empty is None else with_unit(empty.median, figure.unit),
        "" if math.isnan(figure.ratio) else f"{figure.ratio:.2f}",
        "" if figure.budget is None else bound(figure.budget, figure.unit),
        str(figure.verdict),
    )


def bound(budget: Budget, unit: str) -> str:
    """A budget in a few words.

    >>> bound(Budget(statistic=Statistic.P95, limit=300), "ms")
    'p95 ≤ 300 ms'
    """
    if budget.statistic is Statistic.RATIO:
        return f"≤ {budget.limit:g} {budget.statistic}"
    name = "" if budget.statistic is Statistic.MEDIAN else f"{budget.statistic} "
    return f"{name}≤ {budget.limit:g} {unit}".strip()


def with_unit(value: float, unit: str) -> str:
    """A number with three significant digits.

    >>> with_unit(12.345, "ms"), with_unit(0.5432, "s"), with_unit(1234.5, "ms")
    ('12.3 ms', '0.543 s', '1234 ms')
    """
    if math.isnan(value):
        return "—"
    shown = f"{value:.0f}" if abs(value) >= 1000 or value == 0 else f"{value:.3g}"
    return f"{shown} {unit}".strip()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, aligned so that it also reads well in a terminal."""
    widths = [max(len(line[place]) for line in (head, *rows)) for place in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join((line(head), rule, *map(line, rows)))
