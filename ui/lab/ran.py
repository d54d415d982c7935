"""The program that ran, in the program panel: what each line bound, printed or raised."""

import html
from typing import TYPE_CHECKING

from ui.lab import editor
from ui.panel import component, plain, view
from ui.quoting import quote
from ui.words import say

if TYPE_CHECKING:
    from playground.sandbox.report import SandboxReport

KEY = "lab-ran"
MAX_LINES = 400  # of a program; the rest is in the editor


def draw(report: "SandboxReport", source: str) -> None:
    """Draw the program with what became of its lines.

    Args:
        report: Of a run that was not refused.
        source: The program.
    """
    data: view.Data = {
        "key": KEY,
        "words": {"program": say("lab.ran")},
        "lines": lines(report, source),
    }
    if editor.is_plain() or plain.is_chosen():
        plain.draw(KEY, data, lambda _: None)
    else:
        component.draw(KEY, data, lambda: None)


def lines(report: "SandboxReport", source: str) -> tuple[view.Data, ...]:
    """The lines of a program as data for the panel; numbers of a forged report lead nowhere."""
    recorded = {line.number: view.recorded(line) for line in report.lines}
    warnings: dict[int | None, tuple[str, ...]] = {}
    for each in report.warnings:
        warnings[each.line] = (*warnings.get(each.line, ()), each.text)
    ended = max(report.line or 0, report.top_line or 0)
    found: list[view.Data] = []
    for number, text in enumerate(source.rstrip().split("\n")[:MAX_LINES], start=1):
        parts = ({"text": text},) if text else ()
        line: view.Data = {"number": number, "parts": parts, **recorded.get(number, {})}
        if number in warnings:
            line["warnings"] = warnings[number]
        if not report.ok and number == report.line:
            line |= {"mark": "failed", "answer": _error(report)}
        elif not report.ok and number > ended > 0:
            line["mark"] = "after"
        found.append(line)
    return tuple(found)


def has_line(source: str, number: int | None) -> bool:
    """Whether a line is one of those that are shown."""
    return number is not None and 1 <= number <= min(len(source.rstrip().split("\n")), MAX_LINES)


def is_all_printed(report: "SandboxReport") -> bool:
    """Whether the lines, from the first to the last, show all that was printed, in its order."""
    return "".join(line.printed for line in report.lines) == report.output


def _error(report: "SandboxReport") -> view.Data:
    title = f"<code>{html.escape(report.error_type)}</code>" if report.error_type else ""
    data: view.Data = {"tone": "refused", "title_html": title or html.escape(say("lab.stopped"))}
    if report.message:
        data["text_html"] = quote(report.message)
    return data
