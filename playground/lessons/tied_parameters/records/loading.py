"""A tied weight is saved under two keys: what comes of loading one, both, or two that differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique

from playground.compute.settings import Settings
from playground.explained import Table, Told
from playground.lessons.tied_parameters.records.explained import Explained
from playground.units import short

FIRST, SECOND = "0.weight", "2.weight"


@unique
class Given(StrEnum):
    """What the dict holds that is loaded."""

    DIFFERENT = "different"
    SWAPPED = "swapped"
    MISSING = "missing"
    UNSTRICT = "unstrict"
    BOTH = "both"

    @property
    def written(self) -> tuple[str, ...]:
        """The lines that make the dict and load it."""
        load = "net.load_state_dict(state)"
        return {
            Given.DIFFERENT: (*DIFFERING, load),
            Given.SWAPPED: (*DIFFERING, "state = dict(reversed(state.items()))", load),
            Given.MISSING: (f'del state["{SECOND}"]', load),
            Given.UNSTRICT: (
                f'del state["{SECOND}"]',
                "net.load_state_dict(state, strict=False)",
            ),
            Given.BOTH: (load,),
        }[self]


DIFFERING = (
    f'state["{FIRST}"] = torch.full((4, 4), 1.0)',
    f'state["{SECOND}"] = torch.full((4, 4), 2.0)',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTiedReport(Explained):
    """A tied network's file, and the tied weight after loading.

    Attributes:
        keys: The keys for the weight and the bias in the file.
        tensors_in_file: How many pieces of memory the file holds.
        in_dict: The corner of the weight under both keys of the dict that was loaded; None where
            the key is not there.
        in_file: The corner of the weight that was saved.
        loaded: The corner of ``net[0].weight`` afterwards.
        is_one_object: ``net[0].weight is net[2].weight`` afterwards.
    """

    given: Given
    keys: tuple[str, ...]
    tensors_in_file: int
    in_dict: tuple[float | None, float | None]
    in_file: float
    loaded: float
    is_one_object: bool

    @property
    def actual(self) -> str:
        """Which of the keys has won, or torch's refusal."""
        if not self.outcome.ok:
            return self.outcome.error_type
        first, second = self.in_dict
        if first == second or second is None:
            return "the_file" if self.loaded == first else "other"
        if self.loaded == first:
            return "first_key"
        return "second_key" if self.loaded == second else "other"

    @property
    def printed(self) -> str:
        """The result of the program."""
        return str(self.loaded)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "keys_in_file": len(self.keys),
            "tensors_in_file": self.tensors_in_file,
            "loaded_value": self.loaded,
            "is_one_object": self.is_one_object,
        }

    @property
    def mentions(self) -> Told:
        """The facts, shortened."""
        return {**self.told, "loaded_value": short(self.loaded), "first": FIRST, "second": SECOND}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "key-is-missing"
        return {
            Given.DIFFERENT: "last-key-wins",
            Given.SWAPPED: "order-of-the-network",
            Given.UNSTRICT: "one-key-is-enough",
        }.get(self.given, "both-keys-agree")

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Both keys, and what each of them holds."""
        del words
        rows = tuple(
            (f"{key}[0, 0]", None if value is None else short(value), short(self.loaded))
            for key, value in zip((FIRST, SECOND), self.in_dict, strict=True)
        )
        return ((("key", "in_dict", "afterwards"), rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTied(Settings[LoadTiedReport]):
    """Save a tied network, and load a dict in which the two keys of the weight may differ."""

    given: Given = Given.DIFFERENT
