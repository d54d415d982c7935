"""A finding of the check: its place, its level, its sentence in both languages."""

import difflib
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from pathlib import Path

import tomli

from playground.sandbox.facade.allowed_names import words

MAX_QUOTED = 60  # of what a sentence quotes from the cell
MIN_LETTERS = 4  # letters of a name; a shorter one is near to too many
NEVER_CORRECTED = words(
    """
    backends classes compiler decode distributed encode export from_file fromfile genfromtxt hub
    jit load loads memmap multiprocessing onnx package profiler save saves serialization sparse
    storage system tensorboard
    """
)  # names that exist elsewhere, and are meant as they stand


@unique
class Level(StrEnum):
    """The consequence of a finding.

    Attributes:
        REFUSE: The cell is not run: this would leave the facade.
        NOTE: The cell runs; the sentence is advice.
        HANDLED: The cell runs; the line was done in another way, which the sentence tells.
    """

    REFUSE = "refuse"
    NOTE = "note"
    HANDLED = "handled"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of the check.

    Attributes:
        id: Stable; names the sentence, e.g. ``"rebinds"``.
        line: From 1.
        column: From 1.
        values: What the sentence mentions; quoted from the cell, so never to be shown as markup.
    """

    id: str
    line: int
    column: int
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def level(self) -> Level:
        """The consequence; it depends on the id alone."""
        return Level(sentences()[self.id].get("level", Level.REFUSE))

    def sentence(self, language: str = "en") -> str:
        """Say what was found and what to write instead, as plain text without the line.

        >>> Finding("async", 3, 1).sentence()
        'A program runs from top to bottom here, without `async` and `await`.'
        """
        return sentences()[self.id][language].format_map(self.values)

    def __str__(self) -> str:
        return f"Line {self.line}: {self.sentence()}"


@functools.cache
def sentences() -> Mapping[str, Mapping[str, str]]:
    """Return by id the sentence in ``"en"`` and ``"zh"``, and the level if it is no refusal."""
    text = Path(__file__).with_name("sentences.toml").read_text("utf-8")
    return tomli.loads(text)


def quoted(text: str) -> str:
    """Shorten a text of the cell to one line that a sentence can quote.

    >>> quoted("a" * 100)[-3:]
    'aa…'
    """
    line = " ".join(text.split())
    shown = "".join(each if each.isprintable() else "�" for each in line)
    return shown if len(shown) <= MAX_QUOTED else f"{shown[: MAX_QUOTED - 1]}…"


def nearest(given: str, *known: Iterable[str]) -> str | None:
    """Return the known name most similar to a given one; None if there is none.

    It takes a millisecond, since each known name is compared.

    >>> nearest("Liner", ["Linear", "ReLU"], ["Flatten"])
    'Linear'
    """
    if len(given) < MIN_LETTERS or given in NEVER_CORRECTED:
        return None
    close = difflib.get_close_matches(given, sorted(set().union(*known)), n=1, cutoff=0.8)
    return close[0] if close else None
