"""Replacement of ``matplotlib.pyplot`` in a cell: plots are recorded as data, nothing is drawn."""

import warnings
from typing import Any

from playground.sandbox.cell.axes import Axes
from playground.sandbox.figures import Figure

NO_FILE = "savefig writes no file here: the lab shows the figure below the program"


class Pyplot:
    """The functions of ``plt``; they draw on the newest axes."""

    def __init__(self) -> None:
        self._all: list[Axes] = []
        self._current: Axes | None = None

    def figure(self, *_args: object, **_: object) -> None:
        self._begin()

    def subplots(self, nrows: int = 1, ncols: int = 1, **_: object) -> tuple[object, Any]:
        """Begin a figure with one pair of axes or a grid of them, which are shown one by one."""
        rows, columns = int(nrows), int(ncols)
        if not 1 <= rows * columns <= Figure.MAX_FIGURES or rows < 1:
            raise ValueError(f"at most {Figure.MAX_FIGURES} axes are kept here")
        grid = [[self._begin() for _ in range(columns)] for _ in range(rows)]
        flat = [axes for row in grid for axes in row]
        made: Any = flat[0] if len(flat) == 1 else flat if 1 in (rows, columns) else grid
        return Sheet(self), made

    def show(self, *_args: object, **_: object) -> None:
        """End the figure; what is drawn next begins another."""
        self._current = None

    def plot(self, *args: Any, **options: Any) -> None:
        self._axes().plot(*args, **options)

    def scatter(self, *args: Any, **options: Any) -> None:
        self._axes().scatter(*args, **options)

    def bar(self, *args: Any, **options: Any) -> None:
        self._axes().bar(*args, **options)

    def hist(self, *args: Any, **options: Any) -> None:
        self._axes().hist(*args, **options)

    def imshow(self, *args: Any, **options: Any) -> None:
        self._axes().imshow(*args, **options)

    def semilogy(self, *args: Any, **options: Any) -> None:
        self._axes().plot(*args, **options)
        self._axes().set_yscale("log")

    def axhline(self, *args: Any, **options: Any) -> None:
        self._axes().axhline(*args, **options)

    def axvline(self, *args: Any, **options: Any) -> None:
        self._axes().axvline(*args, **options)

    def savefig(self, *_args: object, **_: object) -> None:
        warnings.warn(NO_FILE, stacklevel=2)

    def title(self, label: object, **options: object) -> None:
        self._axes().set_title(label, **options)

    def xlabel(self, label: object, **options: object) -> None:
        self._axes().set_xlabel(label, **options)

    def ylabel(self, label: object, **options: object) -> None:
        self._axes().set_ylabel(label, **options)

    def xscale(self, scale: object, **options: object) -> None:
        self._axes().set_xscale(scale, **options)

    def yscale(self, scale: object, **options: object) -> None:
        self._axes().set_yscale(scale, **options)

    def legend(self, *args: Any, **options: Any) -> None:
        self._axes().legend(*args, **options)

    def grid(self, *_args: object, **_: object) -> None:
        """Do nothing: a grid is drawn anyway."""

    tight_layout = xlim = ylim = axis = colorbar = xticks = yticks = close = grid

    def drawn(self) -> tuple[Figure, ...]:
        """Return all figures that are not empty, within the limits."""
        figures: list[Figure] = []
        left = Figure.MAX_NUMBERS
        for axes in self._all:
            if axes.is_empty or len(figures) == Figure.MAX_FIGURES:
                continue
            figure = axes.drawn(left)
            left -= sum(series.numbers for series in figure.series)
            figures.append(figure)
        return tuple(figures)

    def _axes(self) -> Axes:
        return self._current or self._begin()

    def _begin(self) -> Axes:
        self._current = Axes()
        if len(self._all) < 4 * Figure.MAX_FIGURES:
            self._all.append(self._current)
        return self._current


class Sheet:
    """The figure that ``plt.subplots()`` returns beside the axes."""

    def __init__(self, pyplot: Pyplot) -> None:
        self._pyplot = pyplot

    def suptitle(self, label: object, **options: object) -> None:
        self._pyplot.title(label, **options)

    def show(self) -> None:
        """End the figure."""
        self._pyplot.show()

    def tight_layout(self, *_args: object, **_: object) -> None:
        """Do nothing: the page has its own layout."""

    def savefig(self, *_args: object, **_: object) -> None:
        self._pyplot.savefig()
