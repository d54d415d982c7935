"""What the reports of this lesson have of their own: gradients, and when there is a picture."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum, unique

from playground import explained


@unique
class Gradient(StrEnum):
    """What a parameter's ``.grad`` holds after ``backward``."""

    NONE = "none"
    ZEROS = "zeros"
    NUMBERS = "numbers"

    @classmethod
    def of(cls, values: Iterable[float] | None) -> "Gradient":
        """Tell by the values; None where there are none.

        >>> Gradient.of(None), Gradient.of([0.0]), Gradient.of([0.0, 2.0])
        (<Gradient.NONE: 'none'>, <Gradient.ZEROS: 'zeros'>, <Gradient.NUMBERS: 'numbers'>)
        """
        if values is None:
            return cls.NONE
        return cls.NUMBERS if any(values) else cls.ZEROS


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(explained.Explained):
    """A report whose picture needs a result."""

    @property
    def is_drawn(self) -> bool:
        """PyTorch had an answer."""
        return self.outcome.ok
