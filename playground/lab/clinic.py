"""The error clinic: programs that fail with a real message of PyTorch, because of one line."""

from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

import tomli

from playground.catalog import Text

FILE = Path(__file__).with_name("clinic.toml")
STRIDE = 17  # from day to day, so that neighbours in the file, which are alike, are days apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One program and its error.

    Attributes:
        id: Stable.
        lesson: The name of the lesson that explains it.
        program: The program; no line is blank.
        error: The class of the exception.
        message: Its text, as torch says it.
        raised: The number of the line that raises it.
        line: The number of the line that has to change.
        fix: What this line becomes; then the program runs to its end.
        why: Why that line is wrong; `code` only.
    """

    id: str
    lesson: str
    program: str
    error: str
    message: str
    raised: int
    line: int
    fix: str
    why: Text

    @property
    def fixed(self) -> str:
        """The program with its fix."""
        lines = self.program.splitlines()
        lines[self.line - 1] = self.fix
        return "\n".join(lines) + "\n"


@cache
def cases() -> tuple[Case, ...]:
    """Return all cases, in the order of the file."""
    table = tomli.loads(FILE.read_text("utf-8"))["cases"]
    return tuple(Case(**{**each, "why": Text(**each["why"])}) for each in table)


def number_of(day: date, further: int = 0) -> int:
    """Return the index of the case of a day, or of one of those that follow.

    >>> number_of(date(2026, 11, 24), 1) == number_of(date(2026, 11, 25))
    True
    """
    return (day.toordinal() + further) * STRIDE % len(cases())
