"""The inspector's sentences, in both languages; knows words.toml and fills in its blanks."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tomli

_FILE = Path(__file__).with_name("words.toml")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as an id with values; the words are looked up when it is said.

    Args:
        table: The part of words.toml, e.g. ``"reasons"``.
        key: Which sentence of it.
        values: What it mentions; texts out of the file are already fit to be shown.
    """

    table: str
    key: str
    values: tuple[tuple[str, str | int], ...] = ()

    def text(self, language: str) -> str:
        """Say it in ``"en"`` or ``"zh"``.

        >>> Sentence("reasons", "empty").text("en")
        'The file is empty.'
        """
        told = {name: f"{value:,}" if type(value) is int else value for name, value in self.values}
        if told.get("name") == "":  # what has no key: the file is that one tensor
            told["name"] = words()["names"]["whole"][language]
        return words()[self.table][self.key][language].format(**told)


def sentence(table: str, key: str, values: Mapping[str, str | int] | None = None) -> Sentence:
    """A sentence with its values."""
    return Sentence(table, key, tuple((values or {}).items()))


@cache
def words() -> dict[str, dict[str, dict[str, str]]]:
    """All sentences, by table, key and language."""
    return tomli.loads(_FILE.read_text("utf-8"))
