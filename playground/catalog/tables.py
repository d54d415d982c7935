"""Reads typed values out of a TOML table and notes what is absent, wrong or unknown."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import tomli

from playground.catalog.faults import Faults
from playground.catalog.parity import differences
from playground.catalog.records import Text, Texts

NOTHING: Mapping[str, object] = MappingProxyType({})


def read_toml(path: Path, place: str, faults: Faults) -> "Table":
    """Read a file; where it cannot be read, note why and give an empty table."""
    try:
        return Table(place, tomli.loads(path.read_text(encoding="utf-8")), faults)
    except FileNotFoundError:
        faults.add(place, "the file is absent")
    except UnicodeDecodeError:
        faults.add(place, "the file is not UTF-8")
    except tomli.TOMLDecodeError as error:
        faults.add(place, f"not TOML: {error}")
    return Table(place, {}, faults, is_broken=True)


class Table:
    """A TOML table that remembers which keys were asked for.

    A value that is absent or of the wrong type is noted, and a harmless one returned in its
    place, so that reading goes on and every fault is found in one go.

    Args:
        place: Where the table stands, for the sentences.
        values: The table itself.
        faults: Where faults are noted.
        is_broken: The file could not be read, so that what is absent is no news.
    """

    def __init__(
        self, place: str, values: Mapping[str, object], faults: Faults, *, is_broken: bool = False
    ) -> None:
        self.place = place
        self.faults = faults
        self._values = values
        self._is_broken = is_broken
        self._known: set[str] = set()

    def __contains__(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self._values

    def raw(self, key: str) -> object:
        """The value as TOML gave it, or None, noted, where it is absent."""
        self._known.add(key)
        if key not in self._values and not self._is_broken:
            self.faults.add(self.place, f"{key} is absent")
        return self._values.get(key)

    def string(self, key: str) -> str:
        """A string that says something."""
        value = self.raw(key)
        if isinstance(value, str) and value.strip():
            return value
        self._note(key, value, "must be a text that is not empty")
        return ""

    def integer(self, key: str) -> int:
        """A whole number, one or more."""
        value = self.raw(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        self._note(key, value, "must be a whole number, 1 or more")
        return 0

    def strings(self, key: str) -> tuple[str, ...]:
        """A list of different strings; it may be empty, but it must be there."""
        value = self.raw(key)
        if isinstance(value, list) and all(isinstance(each, str) and each for each in value):
            for each in sorted({each for each in value if value.count(each) > 1}):
                self.faults.add(self.place, f"{key} names '{each}' twice")
            return tuple(value)
        self._note(key, value, "must be a list of texts")
        return ()

    def flag(self, key: str) -> bool:
        """True or false; false where the key is absent."""
        self._known.add(key)
        value = self._values.get(key, False)
        if isinstance(value, bool):
            return value
        self._note(key, value, "must be true or false")
        return False

    def mapping(self, key: str) -> Mapping[str, object]:
        """A table of anything, as it is."""
        value = self.raw(key)
        if isinstance(value, dict):
            return MappingProxyType(value)
        self._note(key, value, "must be a table")
        return NOTHING

    def table(self, key: str) -> "Table":
        """A table inside this one; absent ones are noted."""
        return Table(
            f"{self.place}: {key}", self.mapping(key), self.faults, is_broken=key not in self
        )

    def tables(self, key: str, noun: str) -> Iterator["Table"]:
        """The tables of a ``[[list]]``, each placed by its id.

        Args:
            key: The list's key, e.g. ``"steps"``.
            noun: What one of them is called, e.g. ``"step"``.
        """
        value = self.raw(key)
        if not isinstance(value, list) or not value or not all(isinstance(v, dict) for v in value):
            self._note(key, value, f"must hold at least one [[{key}]]")
            return
        for number, each in enumerate(value, start=1):
            name = each.get("id", each.get("name", number))
            yield Table(f"{self.place}: {noun} '{name}'", each, self.faults)

    def text(self, key: str, *, may_be_filled: bool = False) -> Text:
        """A text in both languages."""
        value = self.raw(key)
        place = f"{self.place}: {key}"
        if not isinstance(value, dict):
            self._note(key, value, "must be { en = …, zh = … }")
            return Text("", "")
        if absent := [language for language in ("en", "zh") if language not in value]:
            self.faults.add(place, f"{' and '.join(absent)} is absent")
            return Text("", "")
        if unknown := sorted(set(value) - {"en", "zh"}):
            self.faults.add(place, f"unknown key {', '.join(unknown)}")
        if not isinstance(value["en"], str) or not isinstance(value["zh"], str):
            self.faults.add(place, "must be { en = …, zh = … }")
            return Text("", "")
        text = Text(value["en"], value["zh"])
        if self.faults.is_thorough:
            for difference in differences(text, may_be_filled=may_be_filled):
                self.faults.add(place, difference)
        return text

    def texts(self, key: str, *, may_be_filled: bool = False) -> Texts:
        """A table of texts; a table that is absent is empty."""
        self._known.add(key)
        if key not in self:
            return MappingProxyType({})
        inner = self.table(key)
        found = {each: inner.text(each, may_be_filled=may_be_filled) for each in inner.names()}
        return MappingProxyType(found)

    def names(self) -> tuple[str, ...]:
        """All keys of the table, in the order of the file."""
        return tuple(self._values)

    def refuse_unknown(self) -> None:
        """Note every key that nobody asked for."""
        for key in self._values:
            if key not in self._known:
                self.faults.add(self.place, f"unknown key {key}")

    def _note(self, key: str, value: object, sentence: str) -> None:
        if value is not None:
            self.faults.add(self.place, f"{key} {sentence}")
