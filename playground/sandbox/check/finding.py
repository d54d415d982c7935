"""One thing that a cell may not say, with its place and its sentence in either language."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import tomli

MOST_LETTERS = 60  # of what a sentence quotes from the cell


@dataclass(frozen=True, slots=True)
class Finding:
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
        """What is wrong and what to write instead, in Markdown-free text without the line.

        >>> Finding("walrus", 3, 1).sentence()
        '`:=` is not part of the lab. Assign the value on a separate line.'
        """
        return sentences()[self.id][language].format_map(self.values)

    def __str__(self) -> str:
        """The line and the sentence, in English."""
        return f"Line {self.line}: {self.sentence()}"


@functools.cache
def sentences() -> Mapping[str, Mapping[str, str]]:
    """By id: the sentence in ``"en"`` and ``"zh"``, with ``{placeholders}``."""
    text = Path(__file__).with_name("sentences.toml").read_text("utf-8")
    return tomli.loads(text)


def quoted(text: str) -> str:
    """Text of the cell as a sentence may quote it: short, and on one line.

    >>> quoted("a" * 100)[-3:]
    'aa…'
    """
    line = " ".join(text.split())
    shown = "".join(each if each.isprintable() else "�" for each in line)
    return shown if len(shown) <= MOST_LETTERS else f"{shown[: MOST_LETTERS - 1]}…"
