"""The entries of a random orthogonal matrix."""

import math
from dataclasses import dataclass

from playground.modules.distributions.base import VISIBLE, Distribution, Points, Span


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
        """Both signs are as likely."""
        return 0.0

    @property
    def std(self) -> float:
        """The squares of ``dimensions`` coordinates add up to the gain's square."""
        return abs(self.gain) / math.sqrt(self.dimensions)

    @property
    def spread(self) -> float:
        """Nothing is left to chance but the mean."""
        return 0.0

    @property
    def points(self) -> Points:
        """On a line, the sphere is two points."""
        return ((-abs(self.gain), 0.5), (abs(self.gain), 0.5)) if self.dimensions == 1 else ()

    @property
    def reach(self) -> Span:
        """The sphere, or what of it is worth drawing."""
        edge = min(abs(self.gain), VISIBLE * self.std)
        return (-edge, edge)

    def density(self, value: float) -> float:
        """One coordinate of a point on the sphere: (1 - x²) to the power of (n - 3) / 2."""
        n, x = self.dimensions, value / abs(self.gain)
        if n == 1 or abs(x) >= 1:
            return 0.0
        log = math.lgamma(n / 2) - math.lgamma((n - 1) / 2) - math.log(math.pi) / 2
        return math.exp(log + (n - 3) / 2 * math.log1p(-x * x)) / abs(self.gain)
