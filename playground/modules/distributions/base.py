"""What every distribution can be asked."""

import math
from abc import ABC, abstractmethod

Span = tuple[float, float]
Points = tuple[tuple[float, float], ...]  # value, share
VISIBLE = 4.5  # standard deviations of a normal density that are worth drawing


class Distribution(ABC):
    """Where values come from."""

    __slots__ = ()

    @property
    @abstractmethod
    def mean(self) -> float:
        """The expected mean."""

    @property
    @abstractmethod
    def std(self) -> float:
        """The expected standard deviation, of the distribution: divided by n, not n - 1."""

    @property
    def spread(self) -> float | None:
        """The variance of a sample's std, times n, over that of the distribution.

        Of independent values it is (kurtosis - 1) / 4. None where nothing is left to chance.
        """
        return None

    @property
    def points(self) -> Points:
        """Values that are met exactly, and how often."""
        return ()

    @property
    def reach(self) -> Span:
        """Where the values are, nearly all of them."""
        return (self.mean, self.mean)

    def density(self, value: float) -> float:
        """The density at a value, beside the points."""
        del value
        return 0.0

    def mean_error(self, count: int) -> float | None:
        """The standard error of the mean of so many values; None where there is none."""
        return self.std / math.sqrt(count) if self.std and self.spread is not None else None

    def std_error(self, count: int) -> float | None:
        """The standard error of their standard deviation; None where there is none."""
        spread = self.spread
        return self.std * math.sqrt(spread / count) if self.std and spread else None
