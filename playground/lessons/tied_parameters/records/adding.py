"""The gradient of a tied weight, and its parts: one for each place where the weight is used."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.explained import Table, Told
from playground.lessons.tied_parameters.records.explained import Explained, Matrix
from playground.units import short

CLOSE = 1e-4  # of the largest number: float32 adds in some order


@dataclass(frozen=True, slots=True, kw_only=True)
class TiedGradientReport(Explained):
    """One backward pass with a tied layer, and one with untied copies of it.

    Attributes:
        places: The positions of the layer in the network.
        tied: The gradient of the tied weight.
        parts: The gradients of the copies, in the order of the places.
        losses: Of the tied network, and of the one with copies.
    """

    seed: int
    places: tuple[int, ...]
    tied: Matrix
    parts: tuple[Matrix, ...]
    losses: tuple[float, float]

    @property
    def total(self) -> Matrix:
        """The sum of the parts."""
        return tuple(
            tuple(math.fsum(numbers) for numbers in zip(*rows, strict=True))
            for rows in zip(*self.parts, strict=True)
        )

    @property
    def difference(self) -> float:
        """The largest difference between the tied gradient and the sum."""
        return distance(self.tied, self.total)

    @property
    def actual(self) -> str:
        """Which of the guesses the numbers agree with."""
        mean = tuple(tuple(each / len(self.parts) for each in row) for row in self.total)
        guesses = {
            "sum": self.total,
            "mean": mean,
            "first": self.parts[0],
            "last": self.parts[-1],
        }
        most = max(abs(each) for row in self.tied for each in row)
        for name, guess in guesses.items():
            if distance(self.tied, guess) <= CLOSE * most:
                return name
        return "other"

    @property
    def printed(self) -> str:
        """What the program prints: whether the sum is the tied gradient, but for rounding."""
        return str(self.actual == "sum")

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"difference": self.difference, "same_loss": self.losses[0] == self.losses[1]}

    @property
    def mentions(self) -> Told:
        """The facts, and a corner in numbers."""
        corners = " + ".join(f"({part[0][0]:.4f})" for part in self.parts)
        return {
            "difference": short(self.difference),
            "count": len(self.parts),
            "addition": f"{corners} = {self.tied[0][0]:.4f}",
            "places": ", ".join(f"net[{place}]" for place in self.places),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return "gradients-add" if self.actual == "sum" else "gradients-other"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """How large each part is, and the whole."""
        rows = [
            (f"net[{place}].weight.grad", words["untied_copy"], norm(part))
            for place, part in zip(self.places, self.parts, strict=True)
        ]
        rows.append(("shared.weight.grad", words["tied"], norm(self.tied)))
        return ((("gradient", "in_network", "norm"), tuple(rows)),)


def distance(one: Matrix, other: Matrix) -> float:
    """The largest difference between two matrices of one shape."""
    return max(
        abs(left - right)
        for lefts, rights in zip(one, other, strict=True)
        for left, right in zip(lefts, rights, strict=True)
    )


def norm(matrix: Matrix) -> float:
    """The root of the sum of squares.

    >>> norm(((3.0, 0.0), (0.0, 4.0)))
    5.0
    """
    return math.hypot(*(each for row in matrix for each in row))


@dataclass(frozen=True, slots=True, kw_only=True)
class TiedGradient(Settings[TiedGradientReport]):
    """Go back through a network that uses one layer several times."""

    BOUNDS: ClassVar[Bounds] = {
        "uses": {"least": 2, "most": 4},
        "seed": {"least": 0, "most": 9999},
    }

    uses: int = 2
    seed: int = 0
