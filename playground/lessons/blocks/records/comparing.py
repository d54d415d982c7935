"""The MLP class beside the Sequential: are they the same function?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Bounds, Settings
from playground.explained import Quiet, Table, Told
from playground.lessons.blocks.records.choices import Copying


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareWithSequentialReport(Quiet):
    """Both outputs for one example, and both lists of names.

    Attributes:
        mine: The ten outputs of the class; empty where torch refused before.
        theirs: The ten outputs of the Sequential.
        is_equal: Every number of the batch is equal, bit for bit; None where torch refused.
        difference: The largest one between two numbers of the outputs.
        my_names: The keys of the class's ``state_dict``.
        their_names: The keys of the Sequential's.
        parameters: Numbers that the class can learn; the Sequential has as many.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("their_name", "my_name", "is_same")

    copying: Copying
    mine: tuple[float, ...]
    theirs: tuple[float, ...]
    is_equal: bool | None
    difference: float | None
    my_names: tuple[str, ...]
    their_names: tuple[str, ...]
    same_weights: tuple[bool, ...]
    parameters: int

    @property
    def actual(self) -> Outcome | bool:
        """Whether the outputs are equal."""
        return self.outcome if self.is_equal is None else self.is_equal

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "is_equal": self.is_equal,
            "difference": self.difference,
            "parameters": self.parameters,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "names-differ"
        if self.copying == Copying.SEED:
            return "same-draws"
        return "same-function" if self.is_equal else "other-weights"

    @property
    def mentions(self) -> Told:
        """The facts, and a pair of names."""
        return {
            "difference": f"{self.difference or 0:.2g}",
            "my_name": self.my_names[0],
            "their_name": self.their_names[0],
        }

    @property
    def pictured(self) -> Told:
        """How far apart the two rows of dots are."""
        return {"count": len(self.mine), "difference": f"{self.difference or 0:.2g}"}

    @property
    def is_drawn(self) -> bool:
        """Both were fed."""
        return bool(self.mine)

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The names side by side."""
        del words
        return (
            (
                self.COLUMNS,
                tuple(zip(self.their_names, self.my_names, self.same_weights, strict=True)),
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareWithSequential(Settings[CompareWithSequentialReport]):
    """Feed a Sequential and a class of the same layers with one batch."""

    BOUNDS: ClassVar[Bounds] = {"seed": {"least": 0, "most": 999}}

    copying: Copying = Copying.NOTHING
    seed: int = 0
