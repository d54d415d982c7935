"""What comes of a layer that subtracts the mean, alone and at the end of a network."""

import math
from dataclasses import dataclass

from playground.explained import Told
from playground.lessons.custom_layers.records.choices import Precision, Values
from playground.lessons.custom_layers.records.explained import Explained
from playground.units import short

Rows = tuple[tuple[float, ...], ...]


def mean_of(row: tuple[float, ...]) -> float:
    """The mean of a row, rounded once.

    >>> mean_of((1.0, 2.0, 6.0))
    3.0
    """
    return math.fsum(row) / len(row)


@dataclass(frozen=True, slots=True, kw_only=True)
class CenterValuesReport(Explained):
    """Values before and after.

    Attributes:
        before, after: Row by row; ``after`` is empty where torch refused.
        parameters, keys: How many parameters and ``state_dict`` keys the layer has.
    """

    values: Values
    before: Rows
    after: Rows
    parameters: int
    keys: int

    @property
    def row_means(self) -> tuple[float, ...]:
        """The mean of every row afterwards."""
        return tuple(mean_of(row) for row in self.after)

    @property
    def actual(self) -> str:
        """What the means of the rows are."""
        if not self.outcome.ok:
            return self.outcome.error_type
        return "not_zero" if any(self.row_means) else "zero"

    @property
    def printed(self) -> str:
        """The result, row by row."""
        return "\n".join(str(list(row)) for row in self.after)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"parameters": self.parameters, "keys": self.keys}

    @property
    def mentions(self) -> Told:
        """The facts, and the means."""
        everything = tuple(value for row in self.before for value in row)
        return {
            **self.told,
            "mean": short(mean_of(everything), 2),
            "row_means": ", ".join(map(short, self.row_means)) or None,
            "least": short(min(everything), 2),
            "most": short(max(everything), 2),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "integers-have-no-mean"
        return "one-mean-for-all" if any(self.row_means) else "centred"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureMeanReport(Explained):
    """The mean of a network's centred output.

    Attributes:
        mean: As torch computes and prints it.
        exact_mean: Of the same values, computed without rounding.
        subtracted: The mean that the layer subtracted.
        mean_error: How far that is from the exact mean of what it was given.
        unit: The rounding unit, ``torch.finfo(…).eps``.
        size: How large the values are: the mean of their absolute values.
        others: The means that other seeds give, the chosen seed's first.
    """

    precision: Precision
    batch: int
    units: int
    seed: int
    mean: float
    exact_mean: float
    subtracted: float
    mean_error: float
    unit: float
    size: float
    others: tuple[float, ...]

    @property
    def actual(self) -> bool:
        """Whether the mean is exactly 0."""
        return self.mean == 0

    @property
    def printed(self) -> str:
        """The mean, in all its digits."""
        return repr(self.mean)

    @property
    def magnitude(self) -> float:
        """How far the mean is from 0."""
        return abs(self.mean)

    @property
    def values(self) -> int:
        """How many values the output has."""
        return self.batch * self.units

    @property
    def step(self) -> float:
        """How far one value of this size may be moved by rounding."""
        return self.unit * self.size / 2

    @property
    def zeros(self) -> int:
        """How many of the seeds give exactly 0."""
        return sum(each == 0 for each in self.others)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "subtracted": self.subtracted,
            "mean_error": self.mean_error,
            "exact_mean": self.exact_mean,
            "mean": self.mean,
            "unit": self.unit,
        }

    @property
    def mentions(self) -> Told:
        """The facts in few digits, and the seeds."""
        numbers = {name: short(float(value or 0), 2) for name, value in self.told.items()}
        return {
            **numbers,
            "precision": self.precision,
            "size": short(self.size, 2),
            "step": short(self.step, 2),
            "values": self.values,
            "seeds": len(self.others),
            "zeros": self.zeros,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.values == 1:
            return "one-value"
        return "cancelled" if self.actual else "rounded"
