"""What values are expected of an initialiser: densities, point masses, moments; knows no torch."""

from playground.modules.distributions.base import Distribution, Points, Span
from playground.modules.distributions.orthogonal import Orthogonal
from playground.modules.distributions.plain import Fixed, Kept, Normal, Uniform
from playground.modules.distributions.truncated import Truncated

__all__ = [
    "Distribution",
    "Fixed",
    "Kept",
    "Normal",
    "Orthogonal",
    "Points",
    "Span",
    "Truncated",
    "Uniform",
]
