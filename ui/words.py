"""The frame's own words in the visitor's language; a missing one raises, there is no fallback."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import tomli

from playground.catalog import Text
from ui import language

FILE = Path(__file__).with_name("words.toml")


@cache
def table() -> Mapping[str, Text]:
    """Every text by ``section.id``."""
    sections = tomli.loads(FILE.read_text("utf-8"))
    return {
        f"{section}.{name}": Text(en=text["en"], zh=text["zh"])
        for section, texts in sections.items()
        for name, text in texts.items()
    }


def say(name: str, /, **values: object) -> str:
    """The text ``section.id`` in the visitor's language, its placeholders filled in."""
    return table()[name].filled(language.current(), **values)
