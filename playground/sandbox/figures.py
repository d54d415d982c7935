"""The plots of a cell as plain data; loads no torch and no plotting library."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar, TypeAlias

Number: TypeAlias = float | None  # None is a gap: the value was not finite


@unique
class SeriesKind(StrEnum):
    """The mark of a series."""

    LINE = "line"
    SCATTER = "scatter"
    BAR = "bar"
    IMAGE = "image"


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The data of one call of ``plt.plot``, ``scatter``, ``bar``, ``hist`` or ``imshow``.

    Attributes:
        label: For the legend; empty where none was given.
        x: The position of each value; empty for an image.
        names: Instead of ``x`` where bars have names.
        y: The values. Of an image row by row.
        columns: How many columns an image has; 0 for any other kind.
        total: How many values there were; more than ``len(y)`` where they were thinned out.
    """

    kind: SeriesKind
    label: str = ""
    x: tuple[Number, ...] = ()
    names: tuple[str, ...] = ()
    y: tuple[Number, ...] = ()
    columns: int = 0
    total: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        if self.kind is SeriesKind.IMAGE:
            if self.columns < 1 or len(self.y) % self.columns:
                raise ValueError("rows of different lengths")
        elif len(self.names or self.x) != len(self.y):
            raise ValueError("as many places as values are needed")
        is_image = self.kind is SeriesKind.IMAGE
        if len(self.y) > (Figure.MAX_SIDE**2 if is_image else Figure.MAX_POINTS):
            raise ValueError("more values than are drawn")

    @property
    def numbers(self) -> int:
        return len(self.x) + len(self.y)

    @property
    def rows(self) -> tuple[tuple[Number, ...], ...]:
        starts = range(0, len(self.y), max(1, self.columns))
        return tuple(self.y[start : start + self.columns] for start in starts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One pair of axes with what was drawn on it.

    Attributes:
        left_out: How many series there were beyond the bounds.
    """

    MAX_FIGURES: ClassVar[int] = 12
    MAX_SERIES: ClassVar[int] = 16
    MAX_POINTS: ClassVar[int] = 500  # of one series
    MAX_SIDE: ClassVar[int] = 56  # of an image
    MAX_NUMBERS: ClassVar[int] = 12_000  # of all figures together
    MAX_CHARACTERS: ClassVar[int] = 120

    title: str = ""
    x_label: str = ""
    y_label: str = ""
    series: tuple[Series, ...] = ()
    has_legend: bool = False
    is_log_x: bool = False
    is_log_y: bool = False
    left_out: int = 0

    def __post_init__(self) -> None:
        """Refuse more than is drawn."""
        if len(self.series) > self.MAX_SERIES:
            raise ValueError("more series than are drawn")
