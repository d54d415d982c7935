"""Numbers and bytes, trainable and frozen, and what an optimizer makes of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Settings, check_length, check_within
from playground.errors import InvalidSettingError
from playground.explained import Table, Told
from playground.lessons.parameters.records.choices import Freezing, Given
from playground.lessons.parameters.records.explained import Explained, Shape
from playground.lessons.parameters.records.networks import RGNET, read
from playground.lessons.parameters.records.views import Filled
from playground.modules.spec import Network
from playground.units import format_bytes

MOST_SEED = 9999
MOST_PATTERN = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """One parameter.

    Attributes:
        is_trainable: It was not frozen.
        is_given: The optimizer holds it.
        gradient: What ``.grad`` holds before the step.
        has_changed: The step changed it.
    """

    name: str
    shape: Shape | None
    numbers: int
    size_bytes: int
    is_trainable: bool
    is_given: bool
    gradient: Filled
    has_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeByNameReport(Explained):
    """The parameters of a network, part of them frozen, and one step of an optimizer.

    Attributes:
        rows: In the order of ``named_parameters()``, each object once.
        freezing: When they were frozen.
        given: What the optimizer was given.
        pattern: Whose names were frozen.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("how_many", "trainable", "frozen")

    rows: tuple[Counted, ...]
    freezing: Freezing
    given: Given
    pattern: str

    @property
    def numbers(self) -> int:
        """All numbers."""
        return sum(row.numbers for row in self.rows)

    @property
    def trainable(self) -> int:
        """The numbers that are not frozen."""
        return sum(row.numbers for row in self.rows if row.is_trainable)

    @property
    def frozen(self) -> int:
        """The numbers that are."""
        return self.numbers - self.trainable

    @property
    def size_bytes(self) -> int:
        """The bytes of all."""
        return sum(row.size_bytes for row in self.rows)

    @property
    def moves_frozen(self) -> bool:
        """The step changed what was frozen."""
        return any(row.has_changed and not row.is_trainable for row in self.rows)

    @property
    def actual(self) -> Outcome | str:
        """What the step changed."""
        if not self.outcome.ok:
            return self.outcome
        if self.moves_frozen:
            return "frozen_too"
        return "trainable_only" if any(row.has_changed for row in self.rows) else "nothing"

    @property
    def facts(self) -> Told:
        """The sums."""
        return {"numbers": f"{self.numbers:,}", "bytes": format_bytes(self.size_bytes)}

    @property
    def mentions(self) -> Told:
        """The sums, and how many tensors are which."""
        return {
            **self.facts,
            "given_tensors": sum(row.is_given for row in self.rows),
            "pattern": self.pattern,
            "frozen_tensors": sum(not row.is_trainable for row in self.rows),
            "changed": sum(row.has_changed for row in self.rows),
            "tensors": len(self.rows),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.outcome.error_type == "ValueError":
            return "no-parameters-left"
        if not self.outcome.ok:
            return "nothing-leads-back" if not self.trainable else "step-refused"
        if self.moves_frozen:
            return "frozen-with-gradient"
        if self.actual == "nothing":
            return "step-moves-nothing"
        return f"frozen-{self.given}"

    @property
    def pictured(self) -> Told:
        """What is frozen, and what changed."""
        frozen = [row.name for row in self.rows if not row.is_trainable]
        changed = [row.name for row in self.rows if row.has_changed]
        return {"frozen": ", ".join(frozen) or "—", "changed": ", ".join(changed) or "—"}

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The trainable ones and the frozen ones, side by side."""
        trainable = _totals(row for row in self.rows if row.is_trainable)
        frozen = _totals(row for row in self.rows if not row.is_trainable)
        rows = tuple((words[name], trainable[name], frozen[name]) for name in trainable)
        return ((self.COLUMNS, rows),)


def _totals(rows: Iterable[Counted]) -> dict[str, str | int]:
    """What a group of parameters adds up to, by label."""
    group = tuple(rows)
    return {
        "tensors": len(group),
        "numbers": f"{sum(row.numbers for row in group):,}",
        "bytes": format_bytes(sum(row.size_bytes for row in group)),
        "is_given": sum(row.is_given for row in group),
        "with_gradient": sum(row.gradient is not Filled.NONE for row in group),
        "has_changed": sum(row.has_changed for row in group),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeByName(Settings[FreezeByNameReport]):
    """Freeze the parameters whose names match a pattern, then take one step.

    Args:
        network: As JSON.
        pattern: As in a shell: ``*`` for anything, ``?`` for one character.
        given: What the optimizer gets.
        freezing: Whether there were gradients already.
        seed: Of torch's generator.
    """

    network: str = RGNET.to_json()
    pattern: str = "*bias"
    given: Given = Given.ALL
    freezing: Freezing = Freezing.BEFORE
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        read(self.network)
        check_length("pattern", self.pattern, most=MOST_PATTERN)
        if not self.pattern.isprintable():
            raise InvalidSettingError("no_match", field="pattern", given=ascii(self.pattern))
        check_within("seed", self.seed, least=0, most=MOST_SEED)

    @property
    def spec(self) -> Network:
        """The network as data."""
        return read(self.network)
