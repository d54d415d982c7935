"""The sentences of this package in both languages, from words.toml."""

import functools
from pathlib import Path
from urllib.parse import parse_qs

import tomli
from starlette.datastructures import Headers
from starlette.types import Scope

FILE = Path(__file__).with_name("words.toml")
EN, ZH = "en", "zh"


@functools.cache
def table() -> dict[str, dict[str, dict[str, str]]]:
    """Return all sentences, by section, name and language."""
    read: dict[str, dict[str, dict[str, str]]] = tomli.loads(FILE.read_text("utf-8"))
    return read


def say(name: str, language: str, **values: object) -> str:
    """Return a sentence.

    >>> say("login.enter", "en")
    'Enter'
    """
    section, _, key = name.partition(".")
    return table()[section][key][language].format(**values)


def language_of(scope: Scope) -> str:
    """Return the language of the URL (``?lang=zh``), else the browser's, else English.

    >>> language_of({"type": "http", "query_string": b"lang=zh", "headers": []})
    'zh'
    """
    query: str = scope.get("query_string", b"").decode("latin-1")
    asked = parse_qs(query).get("lang", [""])[-1]
    if asked in (EN, ZH):
        return asked
    preferred = Headers(scope=scope).get("accept-language", "").lstrip().lower()
    return ZH if preferred.startswith("zh") else EN
