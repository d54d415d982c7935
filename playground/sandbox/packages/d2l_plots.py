"""The functions of ``d2l.torch`` that draw with matplotlib."""

from collections.abc import Sequence
from typing import Any

import torch
from matplotlib import pyplot as plt

SIZE = (3.5, 2.5)
FORMATS = ("-", "m--", "g-.", "r:")


def use_svg_display() -> None:
    """Do nothing: the lab chooses the format of its figures."""


def set_figsize(figsize: tuple[float, float] = SIZE) -> None:
    """Set the size of further figures, in inches."""
    plt.rcParams["figure.figsize"] = figsize


def set_axes(
    axes: Any,
    xlabel: str,
    ylabel: str,
    xlim: Any,
    ylim: Any,
    xscale: str,
    yscale: str,
    legend: Sequence[str] | None,
) -> None:
    """Set labels, scales and limits of axes."""
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_xscale(xscale)
    axes.set_yscale(yscale)
    if xlim is not None:
        axes.set_xlim(xlim)
    if ylim is not None:
        axes.set_ylim(ylim)
    if legend:
        axes.legend(legend)
    axes.grid(visible=True)


def plot(
    X: Any,
    Y: Any = None,
    xlabel: str = "",
    ylabel: str = "",
    legend: Sequence[str] = (),
    xlim: Any = None,
    ylim: Any = None,
    xscale: str = "linear",
    yscale: str = "linear",
    fmts: Sequence[str] = FORMATS,
    figsize: tuple[float, float] = SIZE,
    axes: Any = None,
) -> None:
    """Draw one or several lines: ``plot(x, [f(x), g(x)], "x", legend=["f", "g"])``."""
    lines_y = _several(X if Y is None else Y)
    lines_x: list[Any] = [None] * len(lines_y) if Y is None else _several(X)
    if len(lines_x) < len(lines_y):
        lines_x = lines_x * len(lines_y)
    set_figsize(figsize)
    axes = axes if axes is not None else plt.subplots(figsize=figsize)[1]
    for index, (x, y) in enumerate(zip(lines_x, lines_y, strict=False)):
        given = [_values(y)] if x is None or not len(x) else [_values(x), _values(y)]
        axes.plot(*given, fmts[index % len(fmts)])
    set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend)


def _several(values: Any) -> list[Any]:
    """Return a list of lines: a single one is a list or a tensor of one dimension."""
    if isinstance(values, list | tuple):
        return list(values) if values and hasattr(values[0], "__len__") else [values]
    return [values] if values.ndim == 1 else list(values)


def _values(values: Any) -> Any:
    return values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else values


def show_images(
    imgs: Any,
    num_rows: int,
    num_cols: int,
    titles: Sequence[str] | None = None,
    scale: float = 1.5,
) -> Any:
    """Show images in a grid; return its axes in a row."""
    size = (num_cols * scale, num_rows * scale)
    _, grid = plt.subplots(num_rows, num_cols, figsize=size, squeeze=False)
    places = grid.flatten()
    for index, (axes, image) in enumerate(zip(places, imgs, strict=False)):
        axes.imshow(_values(image))
        axes.set_axis_off()
        if titles:
            axes.set_title(titles[index])
    return places


class Animator:
    """Draws lines that grow by a point at a time."""

    def __init__(
        self,
        xlabel: str | None = None,
        ylabel: str | None = None,
        legend: Sequence[str] | None = None,
        xlim: Any = None,
        ylim: Any = None,
        xscale: str = "linear",
        yscale: str = "linear",
        fmts: Sequence[str] = FORMATS,
        nrows: int = 1,
        ncols: int = 1,
        figsize: tuple[float, float] = SIZE,
    ) -> None:
        self.fig, grid = plt.subplots(nrows, ncols, figsize=figsize, squeeze=False)
        self.axes = list(grid.flatten())
        self.fmts = fmts
        self.X: list[list[float]] = []
        self.Y: list[list[float]] = []
        self._set = (xlabel or "", ylabel or "", xlim, ylim, xscale, yscale, legend)

    def add(self, x: Any, y: Any) -> None:
        """Add a point to each line; ``None`` adds none."""
        points = list(y) if hasattr(y, "__len__") else [y]
        places = list(x) if hasattr(x, "__len__") else [x] * len(points)
        while len(self.X) < len(points):
            self.X.append([])
            self.Y.append([])
        for index, (at, value) in enumerate(zip(places, points, strict=True)):
            if at is not None and value is not None:
                self.X[index].append(float(at))
                self.Y[index].append(float(value))
        self.axes[0].cla()
        for at_all, values, fmt in zip(self.X, self.Y, self.fmts, strict=False):
            self.axes[0].plot(at_all, values, fmt)
        set_axes(self.axes[0], *self._set)
