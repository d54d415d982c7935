"""Repeated readings of one quantity."""

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """Readings in the order they were taken."""

    readings: tuple[float, ...]

    @classmethod
    def of(cls, readings: Iterable[float]) -> "Sample":
        """The sample of any readings."""
        return cls(tuple(readings))

    @property
    def median(self) -> float:
        """The middle reading."""
        return self.quantile(0.5)

    @property
    def p95(self) -> float:
        """The reading that 95 of 100 do not pass."""
        return self.quantile(0.95)

    @property
    def max(self) -> float:
        """The largest reading."""
        return self.quantile(1.0)

    def quantile(self, share: float) -> float:
        """The reading that a share of all do not pass, by linear interpolation; nan without any.

        >>> Sample((1.0, 2.0, 3.0, 10.0)).quantile(0.5)
        2.5
        """
        if not self.readings:
            return math.nan
        ordered = sorted(self.readings)
        place = (len(ordered) - 1) * share
        below = math.floor(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
