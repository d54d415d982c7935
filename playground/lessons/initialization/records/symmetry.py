"""Hidden units that start equal, and what training makes of them."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Bounds, Settings, check_within
from playground.explained import Told
from playground.lessons.initialization.records.arguments import SEED_BOUNDS, check_seed
from playground.lessons.initialization.records.explained import Explained
from playground.units import short

INPUTS, EXAMPLES = 4, 64
RATE = 0.1
CHANGE = 0.1  # of the one number
DECIMALS = 4  # two units are the same if all their numbers agree to this many
DROPPED = 0.5


@unique
class Start(StrEnum):
    """What the weights are before the first step."""

    CONSTANT = "constant"
    ZEROS = "zeros"
    ONE_CHANGED = "one_changed"
    RANDOM = "random"

    @property
    def takes(self) -> tuple[str, ...]:
        """The field that it needs, if any."""
        return ("value",) if self in {Start.CONSTANT, Start.ONE_CHANGED} else ()

    @property
    def controls(self) -> tuple[str, ...]:
        """What else there is to choose."""
        return (*self.takes, "dropout", "units", "steps", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitsAfterStep:
    """The hidden units at one moment.

    Attributes:
        groups: The same number for units that are the same, with all weights that lead to them and
            away from them; the first unit has 0.
        weights: Of each unit, for the first input.
        loss: On all examples, without dropout.
    """

    groups: tuple[int, ...]
    weights: tuple[float, ...]
    loss: float

    @property
    def distinct(self) -> int:
        """How many different units."""
        return len(set(self.groups))


@dataclass(frozen=True, slots=True, kw_only=True)
class SymmetricUnitsReport(Explained):
    """What became of the units.

    Attributes:
        moments: Before the first step, and after each.
        has_moved: Some weight has changed.
    """

    start: Start
    has_dropout: bool
    moments: tuple[UnitsAfterStep, ...]
    has_moved: bool

    @property
    def units(self) -> int:
        """How many units there are."""
        return len(self.moments[0].groups)

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self.moments) - 1

    @property
    def distinct(self) -> int:
        """How many are different in the end."""
        return self.moments[-1].distinct

    @property
    def actual(self) -> str:
        """How many are different in the end."""
        return str(self.distinct)

    @property
    def answers(self) -> tuple[str, ...]:
        """One, two, or each for itself; and what came, should it be none of these."""
        return tuple(map(str, sorted({1, 2, self.units, self.distinct})))

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "distinct_before": self.moments[0].distinct,
            "distinct_after": self.distinct,
            "loss_before": short(self.moments[0].loss, 4),
            "loss_after": short(self.moments[-1].loss, 4),
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the settings."""
        return {**self.told, "units": self.units, "steps": self.steps}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.steps:
            return "symmetry-before"
        if self.start is Start.RANDOM:
            return "symmetry-random"
        if not self.has_moved:
            return "symmetry-zeros"
        if self.has_dropout:
            return "symmetry-dropout"
        return "symmetry-one" if self.start is Start.ONE_CHANGED else "symmetry-kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class SymmetricUnits(Settings["SymmetricUnitsReport"]):
    """Train a small network, and count how many of its hidden units are different.

    Attributes:
        value: Of all weights, where they start constant.
    """

    BOUNDS: ClassVar[Bounds] = {
        **SEED_BOUNDS,
        "units": {"least": 2, "most": 16},
        "steps": {"least": 0, "most": 50},
        "value": {"least": -0.5, "most": 0.5},
    }

    start: Start = Start.CONSTANT
    value: float = 0.5
    units: int = 8
    steps: int = 30
    dropout: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        for name in ("units", "steps", "value"):
            check_within(name, getattr(self, name), **self.BOUNDS[name])
        check_seed(self.seed)

    @property
    def constant(self) -> float | None:
        """What fills the weights; None where they are drawn."""
        if self.start is Start.RANDOM:
            return None
        return 0.0 if self.start is Start.ZEROS else float(self.value)
