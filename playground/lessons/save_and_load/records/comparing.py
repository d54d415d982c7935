"""The keys of a file beside those of a network that is not quite the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.checkpoints.keys import Fit, KeyCounts, KeyRow, count_keys, unasked
from playground.compute.outcome import Outcome
from playground.compute.settings import Settings
from playground.explained import Explained, Table, Told
from playground.lessons.save_and_load.records.networks import SMALL, Other, read
from playground.lessons.save_and_load.records.numbers import shape_text
from playground.modules.spec import Network

MOST_LISTED = 60
MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareKeysReport(Explained):
    """A file and a network, key by key, and what ``load_state_dict`` made of them.

    Attributes:
        is_strict: As the program has it; ``outcome`` is what came of it.
        returned: What ``load_state_dict`` returned, as it prints; empty where it refused.
        strict, unstrict: What came of it with ``strict=True`` and with ``strict=False``.
        rows: Every key of both.
        taken: The keys whose numbers in the network are those of the file afterwards.
    """

    is_strict: bool
    returned: str
    strict: Outcome
    unstrict: Outcome
    rows: tuple[KeyRow, ...]
    taken: tuple[str, ...]

    @property
    def counts(self) -> KeyCounts:
        """How many keys fit, and how many do not, in which way."""
        return count_keys(self.rows)

    @property
    def missing(self) -> tuple[str, ...]:
        """The keys that only the network has."""
        return self._keys(Fit.MISSING)

    @property
    def unexpected(self) -> tuple[str, ...]:
        """The keys that only the file has."""
        return self._keys(Fit.UNEXPECTED)

    @property
    def size_mismatch(self) -> tuple[str, ...]:
        """The keys that both have, with other shapes."""
        return self._keys(Fit.SIZE_MISMATCH)

    @property
    def unasked(self) -> tuple[str, ...]:
        """The missing keys that torch does not ask for."""
        return unasked(self.rows, self.strict.message)

    @property
    def actual(self) -> str:
        """What ``load_state_dict`` does."""
        if not self.outcome.ok:
            return self.outcome.error_type
        if self.counts.all_fit:
            return "matched"
        return "in_part" if self.counts.fits else "nothing"

    @property
    def printed(self) -> str:
        """What ``load_state_dict`` returns."""
        return self.returned

    @property
    def is_drawn(self) -> bool:
        """There is at least one key."""
        return bool(self.rows)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        counts = self.counts
        return {
            "fits": counts.fits,
            "missing": counts.missing,
            "unasked": ", ".join(self.unasked[:MOST_NAMED]) or None,
            "unexpected": counts.unexpected,
            "size_mismatch": counts.size_mismatch,
            "taken": f"{len(self.taken)} / {len(self.rows) - counts.unexpected}",
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the first key of each kind."""
        firsts = {"first_missing": self.missing, "first_unexpected": self.unexpected}
        names = {name: keys[0] if keys else "—" for name, keys in firsts.items()}
        return {**self.told, **names, "taken_keys": len(self.taken)}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        counts = self.counts
        if counts.all_fit:
            return "keys-match"
        if counts.size_mismatch and not self.is_strict:
            return "sizes-are-never-skipped"
        if counts.size_mismatch:
            return "sizes-differ" if counts.fits else "no-key-fits"
        if self.is_strict:
            return "names-differ" if counts.fits else "no-name-fits"
        return "names-are-skipped" if counts.fits else "nothing-was-loaded"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The keys three ways, those that do not fit first; then strict on and off."""
        rows = sorted(self.rows, key=lambda row: row.fit is Fit.FITS)[:MOST_LISTED]
        keys = tuple(
            (
                row.name,
                shape_text(row.in_network),
                shape_text(row.in_file),
                words[f"fit_{row.fit.value}"],
                row.name in self.taken,
            )
            for row in rows
        )
        both = tuple(
            (f"strict={value}", outcome.error_type or words["no_error"])
            for value, outcome in ((True, self.strict), (False, self.unstrict))
        )
        return (
            (("key", "in_network", "in_file", "verdict", "is_taken"), keys),
            (("argument", "answer"), both),
        )

    def _keys(self, fit: Fit) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows if row.fit is fit)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareKeys(Settings[CompareKeysReport]):
    """Save a network, and load the file into another one.

    Args:
        network: The one network, as JSON.
        other: How the other one differs from it.
        second: The other one as JSON, whatever it is; empty for ``other``.
        is_swapped: The file comes from the other one, and is loaded into the one.
        is_strict: The argument ``strict``.
    """

    uses_hardware: ClassVar[bool] = False

    network: str = SMALL.to_json()
    other: Other = Other.MIXED
    second: str = ""
    is_swapped: bool = False
    is_strict: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no network."""
        self.check_types()
        read(self.network)
        if self.second != "":
            read(self.second, "second")

    @property
    def saved(self) -> Network:
        """The network that the file comes from."""
        return self._pair[self.is_swapped]

    @property
    def given(self) -> Network:
        """The network that the file is loaded into."""
        return self._pair[not self.is_swapped]

    @property
    def _pair(self) -> tuple[Network, Network]:
        one = read(self.network)
        return one, read(self.second, "second") if self.second else self.other.of(one)
