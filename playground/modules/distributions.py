"""Distributions of the values that initialisers draw: densities, point masses, moments.

Free of torch.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache

Span = tuple[float, float]
Points = tuple[tuple[float, float], ...]  # value, share
VISIBLE = 4.5  # standard deviations of a normal density that are worth drawing


class Distribution(ABC):
    """A distribution of values."""

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
    def points(self) -> Points:
        return ()

    @property
    def reach(self) -> Span:
        return (self.mean, self.mean)

    def density(self, value: float) -> float:
        del value
        return 0.0


@dataclass(frozen=True, slots=True)
class Fixed(Distribution):
    """No chance at all: so much of each value.

    >>> Fixed(((0.0, 0.75), (1.0, 0.25))).mean
    0.25
    """

    shares: Points

    @property
    def mean(self) -> float:
        return math.fsum(value * share for value, share in self.shares)

    @property
    def std(self) -> float:
        mean = self.mean
        return math.sqrt(math.fsum(share * (value - mean) ** 2 for value, share in self.shares))

    @property
    def points(self) -> Points:
        return self.shares

    @property
    def reach(self) -> Span:
        values = [value for value, _ in self.shares]
        return (min(values), max(values))


@dataclass(frozen=True, slots=True)
class Uniform(Distribution):
    """As likely here as there between two bounds."""

    least: float
    most: float

    @property
    def mean(self) -> float:
        return (self.least + self.most) / 2

    @property
    def std(self) -> float:
        return (self.most - self.least) / math.sqrt(12)

    @property
    def reach(self) -> Span:
        return (self.least, self.most)

    def density(self, value: float) -> float:
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
        return self.share * self.centre

    @property
    def std(self) -> float:
        if self.share == 1:
            return self.sigma
        square = self.sigma**2 + self.centre**2
        return math.sqrt(self.share * square - self.mean**2)

    @property
    def points(self) -> Points:
        return () if self.share == 1 else ((0.0, 1 - self.share),)

    @property
    def reach(self) -> Span:
        return (self.centre - VISIBLE * self.sigma, self.centre + VISIBLE * self.sigma)

    def density(self, value: float) -> float:
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
        return 0.0

    @property
    def std(self) -> float:
        return math.sqrt(self._moment(2))

    @property
    def points(self) -> Points:
        return ((0.0, self.threshold / self.bound),) if self.threshold else ()

    @property
    def reach(self) -> Span:
        return (-self.bound, self.bound)

    def density(self, value: float) -> float:
        return 1 / (2 * self.bound) if self.threshold <= abs(value) <= self.bound else 0.0

    def _moment(self, power: int) -> float:
        above = self.bound ** (power + 1) - self.threshold ** (power + 1)
        return above / ((power + 1) * self.bound)


@dataclass(frozen=True, slots=True)
class Orthogonal(Distribution):
    """The entries of a random matrix whose shorter side is orthonormal, times a gain.

    Each column is a random direction in as many dimensions as the longer side has, so an entry is
    one coordinate of a point on a sphere. Its squares add up to what they must, and so the mean
    square is no matter of chance.

    Args:
        dimensions: The longer side.
        gain: What the matrix was multiplied by, not 0.
    """

    dimensions: int
    gain: float

    @property
    def mean(self) -> float:
        return 0.0

    @property
    def std(self) -> float:
        return abs(self.gain) / math.sqrt(self.dimensions)

    @property
    def points(self) -> Points:
        return ((-abs(self.gain), 0.5), (abs(self.gain), 0.5)) if self.dimensions == 1 else ()

    @property
    def reach(self) -> Span:
        edge = min(abs(self.gain), VISIBLE * self.std)
        return (-edge, edge)

    def density(self, value: float) -> float:
        n, x = self.dimensions, value / abs(self.gain)
        if n == 1 or abs(x) >= 1:
            return 0.0
        log = math.lgamma(n / 2) - math.lgamma((n - 1) / 2) - math.log(math.pi) / 2
        return math.exp(log + (n - 3) / 2 * math.log1p(-x * x)) / abs(self.gain)


FAR = 40.0  # -log of what a density may be left out at, beside its peak
SLICES = 2000  # of Simpson's rule, even
ROUNDING = 1e-12  # what a mean may be off zero where all is symmetric


@dataclass(frozen=True, slots=True)
class Truncated(Distribution):
    """A normal density between two bounds; what would be outside is drawn again."""

    centre: float
    sigma: float
    least: float
    most: float

    @property
    def mean(self) -> float:
        _, mean, second = self._moments()
        return mean if abs(mean) > ROUNDING * math.sqrt(second) else 0.0

    @property
    def std(self) -> float:
        return math.sqrt(self._moments()[2])

    @property
    def reach(self) -> Span:
        low, high = self._window(VISIBLE**2 / 2)
        return (self.centre + self.sigma * low, self.centre + self.sigma * high)

    @property
    def share(self) -> float:
        mass = self._moments()[0] / self.sigma * math.exp(-(self._peak() ** 2) / 2)
        return mass / math.sqrt(2 * math.pi)

    def density(self, value: float) -> float:
        if not self.least <= value <= self.most:
            return 0.0
        return self._height((value - self.centre) / self.sigma) / self._moments()[0]

    def _bounds(self) -> Span:
        return ((self.least - self.centre) / self.sigma, (self.most - self.centre) / self.sigma)

    def _peak(self) -> float:
        low, high = self._bounds()
        return max(low, min(0.0, high))

    def _height(self, z: float) -> float:
        """Return the density beside its peak, so that far tails do not vanish."""
        peak = self._peak()
        return math.exp((peak - z) * (peak + z) / 2)

    def _window(self, far: float) -> Span:
        """Return where the density is more than exp(-far) of its peak's."""
        low, high = self._bounds()
        peak = self._peak()
        room = 2 * far / (math.sqrt(peak * peak + 2 * far) + abs(peak))
        return (max(low, peak - room), min(high, peak + room))

    def _moments(self) -> tuple[float, float, float]:
        return _moments_of(self)

    def moments_by_slices(self) -> tuple[float, float, float]:
        """Mass beside the peak's height, mean and variance.

        By Simpson's rule and not by the error function, which knows nothing of far tails.
        """
        low, high = self._window(FAR)
        step = (high - low) / SLICES
        zs = [low + step * place for place in range(SLICES + 1)]
        weights = [self._height(z) * (4 if place % 2 else 2) for place, z in enumerate(zs)]
        weights[0] /= 2
        weights[-1] /= 2
        mass = math.fsum(weights)
        middle = math.fsum(w * z for w, z in zip(weights, zs, strict=True)) / mass
        second = math.fsum(w * (z - middle) ** 2 for w, z in zip(weights, zs, strict=True)) / mass
        return (
            mass * step / 3 * self.sigma,
            self.centre + self.sigma * middle,
            second * self.sigma**2,
        )


@lru_cache(maxsize=256)
def _moments_of(distribution: Truncated) -> tuple[float, float, float]:
    """Compute the moments once; a density is evaluated at many values."""
    return distribution.moments_by_slices()
