"""Explanations of the errors of a student's program, and fixes of one line that were tried."""

import dataclasses
import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import tomli

from playground.catalog import Text
from playground.sandbox.report import SandboxReport

FILE = Path(__file__).with_name("errors.toml")
MAX_MESSAGE_CHARACTERS = 4_000  # of the text that is searched, which may be a student's
MAX_TRIES = 3  # of runs for one error
TRIED_SECONDS = 1.0  # a program that took longer is not run again
NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownError:
    """One kind of error.

    Attributes:
        id: Stable.
        message: Found in its text; the named groups are the numbers of a case.
        why: Its meaning; `code` and **bold** only.
        type: Its class; empty for any.
        source: Found in the line that raised it; None for any.
        fixes: Pairs of a pattern and what replaces it in one line of the program.
    """

    id: str
    message: re.Pattern[str]
    why: Text
    type: str = ""
    source: re.Pattern[str] | None = None
    fixes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """An error that is known, with the numbers of this case."""

    error: KnownError
    values: dict[str, str]

    @property
    def why(self) -> Text:
        """Its meaning in this case."""
        known = self.error.why
        return Text(en=known.en.format(**self.values), zh=known.zh.format(**self.values))


@cache
def known_errors() -> tuple[KnownError, ...]:
    """Return all kinds of errors, in the order in which they are tried."""
    return tuple(map(_known, tomli.loads(FILE.read_text("utf-8"))["errors"]))


def _known(table: dict[str, Any]) -> KnownError:
    source = table.get("source")
    return KnownError(
        id=table["id"],
        message=re.compile(table["message"], re.DOTALL),
        why=Text(**table["why"]),
        type=table.get("type", ""),
        source=source and re.compile(source),
        fixes=tuple((find, to) for find, to in table.get("fixes", ())),
    )


def explain(report: SandboxReport, program: str) -> Explanation | None:
    """Find what the error of a run means; None where it is not known, or there is none."""
    if not report.error_type:
        return None
    lines = program.split("\n")
    number = report.line or 0
    raised = lines[number - 1] if 1 <= number <= len(lines) else ""
    message = report.message[:MAX_MESSAGE_CHARACTERS]
    for each in known_errors():
        found = each.message.search(message)
        if (
            found
            and each.type in ("", report.error_type)
            and (each.source is None or each.source.search(raised))
        ):
            return Explanation(error=each, values=_values(found))
    return None


def _values(found: re.Match[str]) -> dict[str, str]:
    return {name: value or "" for name, value in found.groupdict().items()}


def candidates(report: SandboxReport, program: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the new text of lines that may fix the error, the nearest first."""
    explanation = explain(report, program)
    if explanation is None:
        return
    lines = program.split("\n")
    last = min(report.line or len(lines), len(lines))
    numbers = [*range(last, 0, -1), *range(last + 1, len(lines) + 1)]
    for find, to in explanation.error.fixes:
        pattern = re.compile(find.format(**explanation.values) if "{" in find else find)
        new = to.format(**explanation.values) if "{" in to else to
        for number in numbers:
            changed = pattern.sub(new, lines[number - 1])
            if changed != lines[number - 1]:
                yield number, changed
    if explanation.error.id == "name":
        name = explanation.values["name"]
        others = sorted({*NAME.findall(program)} - {name})
        for other in difflib.get_close_matches(name, others, n=1):
            yield last, re.sub(rf"\b{name}\b", other, lines[last - 1])


def with_fix(
    report: SandboxReport, program: str, run: Callable[[str], SandboxReport]
) -> SandboxReport:
    """Add a fix of one line to the report of a failed run, if one was tried and runs to its end.

    Args:
        report: Of the program.
        program: The program.
        run: Runs another one under the same limits.
    """
    if report.ok or report.violations or report.elapsed_seconds > TRIED_SECONDS:
        return report
    for _, (number, text) in zip(range(MAX_TRIES), candidates(report, program), strict=False):
        if run(replaced(program, number, text)).ok:
            return dataclasses.replace(report, fix=(number, text))
    return report


def replaced(program: str, number: int, text: str) -> str:
    """Return a program with another text in one line.

    >>> replaced("a\\nb", 2, "c")
    'a\\nc'
    """
    lines = program.split("\n")
    lines[number - 1] = text
    return "\n".join(lines)
