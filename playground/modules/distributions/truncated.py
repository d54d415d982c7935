"""A normal density between two bounds."""

import math
from dataclasses import dataclass
from functools import lru_cache

from playground.modules.distributions.base import VISIBLE, Distribution, Span

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
        """Of what is inside."""
        _, mean, second, _ = self._moments()
        return mean if abs(mean) > ROUNDING * math.sqrt(second) else 0.0

    @property
    def std(self) -> float:
        """Of what is inside."""
        return math.sqrt(self._moments()[2])

    @property
    def spread(self) -> float:
        """By the fourth moment."""
        _, _, second, fourth = self._moments()
        return (fourth / second**2 - 1) / 4

    @property
    def reach(self) -> Span:
        """What is worth drawing between the bounds."""
        low, high = self._window(VISIBLE**2 / 2)
        return (self.centre + self.sigma * low, self.centre + self.sigma * high)

    @property
    def share(self) -> float:
        """How much of the whole normal density is between the bounds."""
        mass = self._moments()[0] / self.sigma * math.exp(-(self._peak() ** 2) / 2)
        return mass / math.sqrt(2 * math.pi)

    @property
    def acceptance(self) -> float:
        """How many of evenly drawn values the density keeps, beside its peak."""
        width = (self.most - self.least) / self.sigma
        return min(1.0, self._moments()[0] / self.sigma / width)

    def density(self, value: float) -> float:
        """The bell, cut, and as much higher."""
        if not self.least <= value <= self.most:
            return 0.0
        return self._height((value - self.centre) / self.sigma) / self._moments()[0]

    def _bounds(self) -> Span:
        return ((self.least - self.centre) / self.sigma, (self.most - self.centre) / self.sigma)

    def _peak(self) -> float:
        low, high = self._bounds()
        return max(low, min(0.0, high))

    def _height(self, z: float) -> float:
        """The density beside its peak, so that far tails do not vanish."""
        peak = self._peak()
        return math.exp((peak - z) * (peak + z) / 2)

    def _window(self, far: float) -> Span:
        """Where the density is more than exp(-far) of its peak's."""
        low, high = self._bounds()
        peak = self._peak()
        room = 2 * far / (math.sqrt(peak * peak + 2 * far) + abs(peak))
        return (max(low, peak - room), min(high, peak + room))

    def _moments(self) -> tuple[float, float, float, float]:
        return _moments_of(self)

    def moments_by_slices(self) -> tuple[float, float, float, float]:
        """Mass beside the peak's height, mean, second and fourth central moment.

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
        second, fourth = (
            math.fsum(w * (z - middle) ** power for w, z in zip(weights, zs, strict=True)) / mass
            for power in (2, 4)
        )
        return (
            mass * step / 3 * self.sigma,
            self.centre + self.sigma * middle,
            second * self.sigma**2,
            fourth * self.sigma**4,
        )


@lru_cache(maxsize=256)
def _moments_of(distribution: Truncated) -> tuple[float, float, float, float]:
    """A density is looked at in many places, and its moments are the same in each."""
    return distribution.moments_by_slices()
