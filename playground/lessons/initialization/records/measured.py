"""A tensor's values beside what was expected of them: what several steps report."""

from collections.abc import Mapping
from dataclasses import dataclass

from playground.explained import Cell, Table, Told
from playground.lessons.initialization.records.explained import Explained
from playground.modules.distributions import Distribution, Fixed
from playground.modules.initialiser_types import Fans, Sample
from playground.units import short

MANY = 3.0  # standard errors; chance alone goes beyond in 3 of 1000 samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured(Explained):
    """Values that were drawn, if they were.

    Attributes:
        shape: Of the tensor; None where it has none yet.
        fans: As torch finds them for this shape; None where it refuses to.
        gain: None where there is none.
        distribution: What was expected; None where nothing is known, or nothing was drawn.
        sample: What was measured; None where torch refused.
    """

    shape: tuple[int, ...] | None
    fans: Fans | None
    gain: float | None
    distribution: Distribution | None
    sample: Sample | None

    @property
    def fan_in(self) -> int | None:
        """How many numbers meet in one output, for torch."""
        return self.fans.fan_in if self.fans else None

    @property
    def fan_out(self) -> int | None:
        """How many outputs one input goes to, for torch."""
        return self.fans.fan_out if self.fans else None

    @property
    def mean(self) -> float | None:
        """As ``tensor.mean()``."""
        return self.sample.mean if self.sample else None

    @property
    def std(self) -> float | None:
        """As ``tensor.std()``; None for a single value."""
        return self.sample.std if self.sample else None

    @property
    def expected_mean(self) -> float | None:
        """By the closed form."""
        return self.distribution.mean if self.distribution else None

    @property
    def expected_std(self) -> float | None:
        """By the closed form; the distribution's, divided by n."""
        return self.distribution.std if self.distribution else None

    @property
    def mean_error(self) -> float | None:
        """The standard error of the mean."""
        return self._error("mean_error")

    @property
    def std_error(self) -> float | None:
        """The standard error of the standard deviation."""
        return self._error("std_error")

    @property
    def mean_difference(self) -> float | None:
        """How many standard errors the mean is off."""
        return _in_errors(self.mean, self.expected_mean, self.mean_error)

    @property
    def std_difference(self) -> float | None:
        """How many standard errors the standard deviation is off."""
        return _in_errors(self.std, self.expected_std, self.std_error)

    @property
    def counts(self) -> tuple[int, ...]:
        """How many values lie between each two edges."""
        return self.sample.counts if self.sample else ()

    @property
    def edges(self) -> tuple[float, ...]:
        """The edges of the histogram."""
        return self.sample.edges if self.sample else ()

    @property
    def zero_fraction(self) -> float | None:
        """How many of the values are exactly 0."""
        return self.sample.zero_fraction if self.sample else None

    @property
    def is_drawn(self) -> bool:
        """There are values."""
        return self.sample is not None

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return self.found

    @property
    def mentions(self) -> Told:
        """What the explanation may mention."""
        return self.spoken

    @property
    def found(self) -> Told:
        """What every such step tells."""
        sample = self.sample
        return {
            "shape": None if self.shape is None else str(self.shape),
            "count": sample.count if sample else None,
            "fan_in": self.fan_in,
            "fan_out": self.fan_out,
            "gain": None if self.gain is None else short(self.gain, 4),
            "range": f"{short(sample.least, 4)} … {short(sample.most, 4)}" if sample else None,
            "zeros": f"{self.zero_fraction:.4%}" if self.zero_fraction else None,
        }

    @property
    def spoken(self) -> Told:
        """The same in words, and the numbers of the table."""
        reach = self.distribution.reach if self.distribution else (0.0, 0.0)
        return {
            **self.found,
            "mean": short(self.mean, 4),
            "std": short(self.std, 4),
            "expected_mean": short(self.expected_mean, 4),
            "expected_std": short(self.expected_std, 4),
            "bound": short(reach[1], 4),
            "share": "—" if self.zero_fraction is None else f"{self.zero_fraction:.1%}",
        }

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Measured beside expected."""
        if self.sample is None:
            return ()
        rows = [
            (words["mean"], self.mean, self.expected_mean, self.mean_error, self.mean_difference),
            (words["std"], self.std, self.expected_std, self.std_error, self.std_difference),
        ]
        if isinstance(self.distribution, Fixed):
            columns: tuple[str, ...] = ("moment", "measured", "expected")
        else:
            columns = ("moment", "measured", "expected", "standard_error", "difference")
        shown = tuple(tuple(map(_cell, row[: len(columns)])) for row in rows)
        return ((columns, shown),)

    def _error(self, name: str) -> float | None:
        if self.sample is None or self.distribution is None:
            return None
        error: float | None = getattr(self.distribution, name)(self.sample.count)
        return error


def _in_errors(measured: float | None, expected: float | None, error: float | None) -> float | None:
    if measured is None or expected is None or not error:
        return None
    return (measured - expected) / error


def _cell(value: str | float | None) -> Cell:
    return value if isinstance(value, str) else short(value, 4)
