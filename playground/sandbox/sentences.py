"""Sentences about the sandbox's limits, as ids with values; the words are beside it, in a toml."""

import functools
from dataclasses import dataclass
from pathlib import Path

import tomli

FILE = Path(__file__).with_name("sentences.toml")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence.

    Attributes:
        id: Which one.
        values: What it mentions, by name.

    >>> Sentence("cpu", (("seconds", "2"),)).say("en")
    'Stopped after 2 s of computing.'
    """

    id: str
    values: tuple[tuple[str, str], ...] = ()

    def say(self, language: str) -> str:
        """The sentence in a language, ``"en"`` or ``"zh"``."""
        return words()[self.id][language].format(**dict(self.values))


@functools.cache
def words() -> dict[str, dict[str, str]]:
    """All sentences, by id and language."""
    return tomli.loads(FILE.read_text(encoding="utf-8"))
