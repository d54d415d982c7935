"""A violation of the rules: its place, its sentence in both languages, and a suggested name."""

import difflib
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import tomli

from playground.sandbox.facade.allowed_names import words

MAX_QUOTED = 60  # of what a sentence quotes from the cell
MIN_LETTERS = 4  # letters of a name; a shorter one is near to too many
NEVER_CORRECTED = words(
    """
    backends classes compile compiler data_ptr decode distributed encode export from_file
    fromfile genfromtxt hub jit load loads memmap multiprocessing onnx package profiler save saves
    serialization sparse storage system tensorboard
    """
)  # names that exist elsewhere, and are meant as they stand


@dataclass(frozen=True, slots=True)
class Violation:
    """A refusal of the check.

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

    def sentence(self, language: str = "en") -> str:
        """Say what is wrong and what to write instead, as plain text without the line.

        >>> Violation("walrus", 3, 1).sentence()
        '`:=` is not part of the lab. Assign the value on a separate line.'
        """
        return sentences()[self.id][language].format_map(self.values)

    def __str__(self) -> str:
        return f"Line {self.line}: {self.sentence()}"


@functools.cache
def sentences() -> Mapping[str, Mapping[str, str]]:
    """Return the sentence in ``"en"`` and ``"zh"`` by id, with ``{placeholders}``."""
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
