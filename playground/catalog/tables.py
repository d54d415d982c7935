"""Typed access to a TOML table that records missing, invalid and unknown keys."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import tomli

from playground.catalog.faults import Faults
from playground.catalog.parity import differences
from playground.catalog.records import Text, Texts

NOTHING: Mapping[str, object] = MappingProxyType({})


def read_toml(path: Path, place: str, faults: Faults) -> "Table":
    """Read a file; if it cannot be read, record the reason and return an empty table."""
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
    """A TOML table that records which keys were read.

    A value that is absent or of the wrong type is recorded as a fault, and a neutral value is
    returned, so that reading continues and finds every fault.

    Args:
        place: The file and the id of the table, for the descriptions of faults.
        values: The table itself.
        faults: The collector of faults.
        is_broken: The file could not be read, so that absent keys are not recorded.
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
        return key in self._values

    def raw(self, key: str) -> object:
        """Return the value as parsed; if it is absent, record the fault and return None."""
        self._known.add(key)
        if key not in self._values and not self._is_broken:
            self.faults.add(self.place, f"{key} is absent")
        return self._values.get(key)

    def string(self, key: str) -> str:
        """Return a string that is not empty."""
        value = self.raw(key)
        if isinstance(value, str) and value.strip():
            return value
        self._note(key, value, "must be a text that is not empty")
        return ""

    def integer(self, key: str) -> int:
        """Return a positive integer."""
        value = self.raw(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        self._note(key, value, "must be a whole number, 1 or more")
        return 0

    def strings(self, key: str) -> tuple[str, ...]:
        """Return a list of distinct strings; it may be empty, but must be present."""
        value = self.raw(key)
        if isinstance(value, list) and all(isinstance(each, str) and each for each in value):
            for each in sorted({each for each in value if value.count(each) > 1}):
                self.faults.add(self.place, f"{key} names '{each}' twice")
            return tuple(value)
        self._note(key, value, "must be a list of texts")
        return ()

    def mapping(self, key: str) -> Mapping[str, object]:
        """Return a table of arbitrary values, unchecked."""
        value = self.raw(key)
        if isinstance(value, dict):
            return MappingProxyType(value)
        self._note(key, value, "must be a table")
        return NOTHING

    def table(self, key: str) -> "Table":
        """Return a nested table; an absent one is a fault."""
        return Table(
            f"{self.place}: {key}", self.mapping(key), self.faults, is_broken=key not in self
        )

    def tables(self, key: str, noun: str) -> Iterator["Table"]:
        """Return the tables of a ``[[list]]``, each placed by its id.

        Args:
            key: The list's key, e.g. ``"steps"``.
            noun: The noun for one of them, e.g. ``"step"``.
        """
        value = self.raw(key)
        if not isinstance(value, list) or not value or not all(isinstance(v, dict) for v in value):
            self._note(key, value, f"must hold at least one [[{key}]]")
            return
        for number, each in enumerate(value, start=1):
            name = each.get("id", each.get("name", number))
            yield Table(f"{self.place}: {noun} '{name}'", each, self.faults)

    def text(self, key: str, *, may_be_filled: bool = False) -> Text:
        """Return a text in both languages."""
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
        """Return a table of texts; an absent one is empty."""
        self._known.add(key)
        if key not in self:
            return MappingProxyType({})
        inner = self.table(key)
        found = {each: inner.text(each, may_be_filled=may_be_filled) for each in inner.names()}
        return MappingProxyType(found)

    def names(self) -> tuple[str, ...]:
        """Return all keys of the table, in the order of the file."""
        return tuple(self._values)

    def refuse_unknown(self) -> None:
        """Record every key that was not read."""
        for key in self._values:
            if key not in self._known:
                self.faults.add(self.place, f"unknown key {key}")

    def _note(self, key: str, value: object, sentence: str) -> None:
        if value is not None:
            self.faults.add(self.place, f"{key} {sentence}")
