"""The five duties of a block, each of them tried."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.explained import Quiet, Table, Told
from playground.lessons.blocks.records.choices import Duty, DutyBlock
from playground.lessons.blocks.records.trees import Shape

TOLERANCE = 1e-6  # of the largest gradient: central differences in float64 are far closer


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """The slope of the loss along one number, found in two ways.

    Attributes:
        name: Whose number it is: ``"X"``, or the name of a parameter.
        autograd: What backward left in ``.grad``; 0 where it left nothing.
        finite: The difference quotient.
    """

    name: str
    autograd: float
    finite: float

    @property
    def distance(self) -> float:
        """How far apart both are."""
        return abs(self.autograd - self.finite)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterRow:
    """A parameter as it was made.

    Attributes:
        is_listed: ``parameters()`` gives it.
    """

    name: str
    shape: Shape
    least: float
    greatest: float
    is_listed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDutiesReport(Quiet):
    """What a block does of what it has to do.

    Attributes:
        slopes: Of some of the numbers of the input and of every parameter.
        without_gradient: Parameters that backward left without one.
        repeats: Made anew from the same seed, every parameter is the same bit for bit.
        is_fresh: Made from another seed, some number is another.
    """

    DUTIES: ClassVar[tuple[str, ...]] = ("duty", "is_fulfilled", "seen")
    COLUMNS: ClassVar[tuple[str, ...]] = ("name", "shape", "least", "greatest", "is_listed")

    block: DutyBlock
    input_shape: Shape
    output_shape: Shape | None
    slopes: tuple[Slope, ...]
    without_gradient: tuple[str, ...]
    parameters: tuple[ParameterRow, ...]
    repeats: bool
    is_fresh: bool

    @property
    def deviation(self) -> float:
        """Largest distance of a gradient from its difference quotient."""
        return max((each.distance for each in self.slopes), default=0.0)

    @property
    def is_gradient_right(self) -> bool:
        """They agree, as far as float64 can tell."""
        scale = max((abs(each.finite) for each in self.slopes), default=0.0)
        return self.deviation <= TOLERANCE * max(scale, TOLERANCE)

    @property
    def fulfilled(self) -> Mapping[Duty, bool]:
        """Each duty, and whether the block does it."""
        return {
            Duty.INPUT: self.outcome.ok,
            Duty.OUTPUT: self.output_shape is not None,
            Duty.GRADIENT: self.is_gradient_right and not self.without_gradient,
            Duty.PARAMETERS: all(row.is_listed for row in self.parameters),
            Duty.INITIALIZATION: self.repeats and (self.is_fresh or not self.parameters),
        }

    @property
    def actual(self) -> str:
        """The first duty that is not done."""
        missed = [duty for duty, done in self.fulfilled.items() if not done]
        return str(missed[0]) if missed else "none_missing"

    @property
    def printed(self) -> str:
        """The shape of the output."""
        return "" if self.output_shape is None else f"torch.Size({list(self.output_shape)})"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"numbers_checked": len(self.slopes), "deviation": self.deviation}

    @property
    def mentions(self) -> Told:
        """The facts, and names."""
        return {
            **{name: f"{value:.2g}" for name, value in self.told.items() if value is not None},
            "without": ", ".join(self.without_gradient),
            "hidden": sum(not row.is_listed for row in self.parameters),
            "count": len(self.parameters),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.fulfilled[Duty.PARAMETERS]:
            return "hides-parameters"
        if not self.fulfilled[Duty.GRADIENT]:
            return "no-way-back"
        return "does-all" if self.parameters else "does-all-without-parameters"

    @property
    def pictured(self) -> Told:
        """How many dots there are, and how far they are off."""
        return {"count": len(self.slopes), "deviation": f"{self.deviation:.2g}"}

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The five duties, then the parameters."""
        ranges = [abs(bound) for row in self.parameters for bound in (row.least, row.greatest)]
        values = {
            "input": self.input_shape,
            "output": self.output_shape,
            "deviation": f"{self.deviation:.2g}",
            "listed": sum(row.is_listed for row in self.parameters),
            "count": len(self.parameters),
            "range": f"{max(ranges, default=0.0):.3g}",
        }
        duties = tuple(
            (words[f"duty_{duty}"], done, words[f"saw_{duty}"].format(**values))
            for duty, done in self.fulfilled.items()
        )
        rows = tuple(
            (each.name, str(each.shape), each.least, each.greatest, each.is_listed)
            for each in self.parameters
        )
        tables: tuple[Table, ...] = ((self.DUTIES, duties),)
        return (*tables, (self.COLUMNS, rows)) if rows else tables


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDuties(Settings[CheckDutiesReport]):
    """Try the five duties of a block."""

    BOUNDS: ClassVar[Bounds] = {"seed": {"least": 0, "most": 999}}

    block: DutyBlock = DutyBlock.FIXED_HIDDEN
    seed: int = 0
