"""What the reports of this lesson have of their own: facts that may be unknown; shapes."""

from abc import abstractmethod
from dataclasses import dataclass

from playground.explained import Quiet, Told

Shape = tuple[int, ...]
Grid = tuple[tuple[float, ...], ...]  # the first rows and columns of a tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(Quiet):
    """A report that also tells which of its facts there are not."""

    @property
    @abstractmethod
    def facts(self) -> Told:
        """What is told beside the picture, by label id."""

    @property
    def told(self) -> Told:
        """The facts."""
        return self.facts


def shape_text(shape: Shape | None) -> str:
    """A shape as torch writes it; one that is not known yet as a dash."""
    return "—" if shape is None else str(tuple(shape))
