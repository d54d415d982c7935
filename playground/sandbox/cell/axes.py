"""One pair of axes of a cell: records what is plotted as data, and draws nothing.

It loads no torch: numbers are read by ``detach`` and ``tolist``.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from playground.sandbox.figures import Figure, Number, Series, SeriesKind
from playground.sandbox.text import cut

DIGITS = 6  # significant ones that are kept
MAX_READ = 1_000_000  # values of one call
DEFAULT_BINS = 10
MAX_BINS = 200


class Axes:
    """One pair of axes, with the methods of matplotlib's that students use."""

    def __init__(self) -> None:
        self._series: list[Series] = []
        self._levels: list[tuple[bool, Number, str]] = []  # is it horizontal, where, its label
        self._left_out = 0
        self._title = self._x_label = self._y_label = ""
        self._has_legend = self._is_log_x = self._is_log_y = False

    def plot(self, *args: Any, label: object = "", **_: object) -> None:
        """Draw lines: ``plot(y)``, ``plot(x, y)``, ``plot(x, y, "r--", x2, y2)``."""
        given = list(args)
        while given:
            first = given.pop(0)
            second = given.pop(0) if given and not isinstance(given[0], str) else None
            if given and isinstance(given[0], str):
                given.pop(0)  # the format
            x, y = (None, first) if second is None else (first, second)
            for column in _columns(y):
                self._add(SeriesKind.LINE, x, column, label)

    def scatter(self, x: Any, y: Any, *_args: object, label: object = "", **_: object) -> None:
        self._add(SeriesKind.SCATTER, x, _listed(y), label)

    def bar(self, x: Any, height: Any, *_args: object, label: object = "", **_: object) -> None:
        """Draw bars, at positions or with names."""
        heights = _listed(height)
        places = _listed(x)
        heights = heights * len(places) if len(heights) == 1 else heights
        self._add(SeriesKind.BAR, places, heights, label)

    def hist(
        self, x: Any, bins: int = DEFAULT_BINS, *_args: object, label: object = "", **_: object
    ) -> None:
        """Draw a histogram of equal bins, as bars."""
        values = [each for each in _numbers(x) if each is not None]
        count = min(max(1, int(bins)), MAX_BINS)
        least, most = (min(values), max(values)) if values else (0.0, 1.0)
        width = (most - least) / count or 1.0
        counted = [0] * count
        for each in values:
            counted[min(int((each - least) / width), count - 1)] += 1
        middles = [least + width * (index + 0.5) for index in range(count)]
        self._add(SeriesKind.BAR, middles, counted, label)

    def imshow(self, image: Any, *_args: object, **_: object) -> None:
        """Draw a matrix, thinned out if it is large."""
        rows = [_numbers(row) for row in _listed(image)]
        if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
            raise TypeError("imshow draws a matrix here: rows of numbers, all of the same length")
        total = len(rows) * len(rows[0])
        down = math.ceil(len(rows) / Figure.MAX_SIDE)
        across = math.ceil(len(rows[0]) / Figure.MAX_SIDE)
        kept = [row[::across] for row in rows[::down]]
        y = tuple(each for row in kept for each in row)
        self._keep(Series(kind=SeriesKind.IMAGE, y=y, columns=len(kept[0]), total=total))

    def axhline(self, y: Any = 0, *_args: object, label: object = "", **_: object) -> None:
        """Draw a horizontal line across the axes."""
        self._level(True, y, label)

    def axvline(self, x: Any = 0, *_args: object, label: object = "", **_: object) -> None:
        """Draw a vertical line across the axes."""
        self._level(False, x, label)

    def _level(self, is_horizontal: bool, value: Any, label: object) -> None:
        if len(self._levels) + len(self._series) < Figure.MAX_SERIES:
            self._levels.append((is_horizontal, _number(value), _text(label)))
        else:
            self._left_out += 1

    def set_title(self, label: object, *_args: object, **_: object) -> None:
        self._title = _text(label)

    def set_xlabel(self, label: object, *_args: object, **_: object) -> None:
        self._x_label = _text(label)

    def set_ylabel(self, label: object, *_args: object, **_: object) -> None:
        self._y_label = _text(label)

    def set_xscale(self, scale: object, **_: object) -> None:
        self._is_log_x = scale == "log"

    def set_yscale(self, scale: object, **_: object) -> None:
        self._is_log_y = scale == "log"

    def legend(self, labels: Iterable[object] = (), *_args: object, **_: object) -> None:
        """Show the labels; those given here go to the series in order."""
        self._has_legend = True
        for index, label in enumerate(_listed(labels)[: len(self._series)]):
            series = self._series[index]
            self._series[index] = Series(
                **{name: getattr(series, name) for name in Series.__slots__}
                | {"label": _text(label)}
            )

    def grid(self, *_args: object, **_: object) -> None:
        """Do nothing: a grid is drawn anyway."""

    set_xlim = set_ylim = axis = set_xticks = set_yticks = grid

    @property
    def is_empty(self) -> bool:
        return not self._series and not self._levels

    def drawn(self, max_numbers: int) -> Figure:
        """Return the figure; series beyond ``max_numbers`` numbers are left out."""
        kept: list[Series] = []
        everything = [*self._series, *self._drawn_levels()]
        for series in everything:
            max_numbers -= series.numbers
            if max_numbers < 0:
                break
            kept.append(series)
        return Figure(
            title=self._title,
            x_label=self._x_label,
            y_label=self._y_label,
            series=tuple(kept),
            has_legend=self._has_legend,
            is_log_x=self._is_log_x,
            is_log_y=self._is_log_y,
            left_out=self._left_out + len(everything) - len(kept),
        )

    def _drawn_levels(self) -> Iterator[Series]:
        """Yield the lines of ``axhline`` and ``axvline``, as long as the other series."""
        across = [each for series in self._series for each in series.x if each is not None]
        upwards = [
            each
            for series in self._series
            if series.kind is not SeriesKind.IMAGE
            for each in series.y
            if each is not None
        ]
        names = [each for series in self._series for each in series.names]
        for is_horizontal, value, label in self._levels:
            line = partial(Series, kind=SeriesKind.LINE, label=label, total=2)
            if is_horizontal and names:
                yield line(names=(names[0], names[-1]), y=(value, value))
            elif is_horizontal:
                yield line(x=_ends(across), y=(value, value))
            else:
                yield line(x=(value, value), y=_ends(upwards))

    def _add(self, kind: SeriesKind, x: Any, y: list[Any], label: object) -> None:
        places = range(len(y)) if x is None else _listed(x)
        if len(places) != len(y):
            raise ValueError(
                f"x and y must have the same length, but there are {len(places)} and {len(y)}"
            )
        step = math.ceil(len(y) / Figure.MAX_POINTS) or 1
        has_names = any(isinstance(each, str) for each in places[::step])
        names = tuple(_text(each) for each in places[::step]) if has_names else ()
        self._keep(
            Series(
                kind=kind,
                label=_text(label),
                x=() if has_names else tuple(_number(each) for each in places[::step]),
                names=names,
                y=tuple(_number(each) for each in y[::step]),
                total=len(y),
            )
        )

    def _keep(self, series: Series) -> None:
        if len(self._levels) + len(self._series) < Figure.MAX_SERIES:
            self._series.append(series)
        else:
            self._left_out += 1


def _ends(numbers: list[float]) -> tuple[float, float]:
    return (min(numbers), max(numbers)) if numbers else (0.0, 1.0)


def _listed(values: Any) -> list[Any]:
    """Convert any sequence or tensor to a list; a single value to a list of one."""
    if hasattr(values, "detach"):
        values = values.detach()
    if hasattr(values, "tolist"):
        if getattr(values, "size", None) is not None and _count(values) > MAX_READ:
            raise ValueError(f"at most {MAX_READ} values can be plotted at once")
        values = values.tolist()
    if isinstance(values, str) or not isinstance(values, Iterable):
        return [values]
    listed = []
    for each in values:
        listed.append(each)
        if len(listed) > MAX_READ:
            raise ValueError(f"at most {MAX_READ} values can be plotted at once")
    return listed


def _count(values: Any) -> int:
    return int(math.prod(getattr(values, "shape", ())))


def _numbers(values: Any) -> list[Number]:
    return [_number(each) for each in _listed(values)]


def _columns(values: Any) -> list[list[Any]]:
    """Return one list of values per line: a matrix has one per column."""
    listed = _listed(values)
    if listed and all(isinstance(each, Sequence) and not isinstance(each, str) for each in listed):
        return [list(column) for column in zip(*listed, strict=True)]
    return [listed]


def _number(value: Any) -> Number:
    """Round a number to few digits; None if it is not finite."""
    if hasattr(value, "item"):
        value = value.item()
    number = float(value)
    return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else None


def _text(value: object) -> str:
    return cut(str(value), Figure.MAX_CHARACTERS)
