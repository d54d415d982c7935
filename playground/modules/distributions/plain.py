"""Distributions whose moments are a line each."""

import math
from dataclasses import dataclass

from playground.modules.distributions.base import VISIBLE, Distribution, Points, Span


@dataclass(frozen=True, slots=True)
class Fixed(Distribution):
    """No chance at all: so much of each value.

    >>> Fixed(((0.0, 0.75), (1.0, 0.25))).mean
    0.25
    """

    shares: Points

    @property
    def mean(self) -> float:
        """Of the values, each with its share."""
        return math.fsum(value * share for value, share in self.shares)

    @property
    def std(self) -> float:
        """Of the values, each with its share."""
        mean = self.mean
        return math.sqrt(math.fsum(share * (value - mean) ** 2 for value, share in self.shares))

    @property
    def points(self) -> Points:
        """All there is."""
        return self.shares

    @property
    def reach(self) -> Span:
        """From the least to the greatest."""
        values = [value for value, _ in self.shares]
        return (min(values), max(values))


@dataclass(frozen=True, slots=True)
class Uniform(Distribution):
    """As likely here as there between two bounds."""

    least: float
    most: float

    @property
    def mean(self) -> float:
        """The middle."""
        return (self.least + self.most) / 2

    @property
    def std(self) -> float:
        """The width over the root of twelve."""
        return (self.most - self.least) / math.sqrt(12)

    @property
    def spread(self) -> float:
        """The kurtosis is 9/5."""
        return 0.2

    @property
    def reach(self) -> Span:
        """From bound to bound."""
        return (self.least, self.most)

    def density(self, value: float) -> float:
        """A box."""
        return 1 / (self.most - self.least) if self.least <= value <= self.most else 0.0


@dataclass(frozen=True, slots=True)
class Normal(Distribution):
    """A normal distribution; ``share`` of the values, the others are exactly 0.

    >>> Normal(0.0, 0.01, share=0.25).std
    0.005
    """

    centre: float
    sigma: float
    share: float = 1.0

    @property
    def mean(self) -> float:
        """Of all values."""
        return self.share * self.centre

    @property
    def std(self) -> float:
        """Of all values."""
        if self.share == 1:
            return self.sigma
        square = self.sigma**2 + self.centre**2
        return math.sqrt(self.share * square - self.mean**2)

    @property
    def spread(self) -> float:
        """The kurtosis of a normal density is 3; how many are 0 is not left to chance."""
        return 0.5 / self.share

    @property
    def points(self) -> Points:
        """The zeros."""
        return () if self.share == 1 else ((0.0, 1 - self.share),)

    @property
    def reach(self) -> Span:
        """What is worth drawing of an endless density."""
        return (self.centre - VISIBLE * self.sigma, self.centre + VISIBLE * self.sigma)

    def density(self, value: float) -> float:
        """The bell."""
        z = (value - self.centre) / self.sigma
        return self.share * math.exp(-z * z / 2) / (self.sigma * math.sqrt(2 * math.pi))


@dataclass(frozen=True, slots=True)
class Kept(Distribution):
    """Evenly drawn from -bound to bound, and kept where it is at least the threshold; else 0.

    >>> Kept(10.0, 5.0).points
    ((0.0, 0.5),)
    """

    bound: float
    threshold: float

    @property
    def mean(self) -> float:
        """Both sides are alike."""
        return 0.0

    @property
    def std(self) -> float:
        """By the integral over what is kept."""
        return math.sqrt(self._moment(2))

    @property
    def spread(self) -> float | None:
        """By the fourth moment."""
        return (self._moment(4) / self._moment(2) ** 2 - 1) / 4

    @property
    def points(self) -> Points:
        """The zeros."""
        return ((0.0, self.threshold / self.bound),) if self.threshold else ()

    @property
    def reach(self) -> Span:
        """From bound to bound."""
        return (-self.bound, self.bound)

    def density(self, value: float) -> float:
        """Two boxes."""
        return 1 / (2 * self.bound) if self.threshold <= abs(value) <= self.bound else 0.0

    def _moment(self, power: int) -> float:
        above = self.bound ** (power + 1) - self.threshold ** (power + 1)
        return above / ((power + 1) * self.bound)
