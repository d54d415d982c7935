"""Tensors as they are: a matrix as a heatmap, a vector as bars; two of them side by side."""

from typing import Protocol

import plotly.graph_objects as go

from playground.lessons.parameters.figures.boxes import box
from playground.lessons.parameters.records import SetValueReport, View
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch
from playground.sketch.canvas import canvas, write

HALF = 0.475
HEAD = 40
CELL = 22
LEAST_HEIGHT = 66
BARS = 108
MOST_WRITTEN = 4  # columns whose cells have room for a number on a phone
EDGE = 4
DARK = 0.72  # of the scale: from here on the cell is dark and its number light


class HasLeaf(Protocol):
    """A report about one parameter."""

    @property
    def values(self) -> View | None:
        """Its values."""

    @property
    def gradient(self) -> View | None:
        """Its gradient."""


@drawn_once
def leaf(report: HasLeaf, palette: Palette, words: Words) -> go.Figure:
    """Draw a parameter's values, and its gradient beside them.

    Args:
        report: With a parameter.
        palette: The colours of the theme.
        words: Needs ``panel_values``, ``panel_gradient``, ``first_rows`` and ``gradient_none``.
    """
    return _pair(
        (words["panel_values"], report.values),
        (words["panel_gradient"], report.gradient),
        palette,
        words,
        is_shared=False,
    )


@drawn_once
def change(report: SetValueReport, palette: Palette, words: Words) -> go.Figure:
    """Draw a parameter's values before and after, on one scale of colours.

    Args:
        report: With a parameter.
        palette: The colours of the theme.
        words: Needs ``at_first``, ``in_the_end``, ``first_rows`` and ``gradient_none``.
    """
    return _pair(
        (words["at_first"], report.before),
        (words["in_the_end"], report.after),
        palette,
        words,
        is_shared=True,
    )


Panel = tuple[str, View | None]


def _pair(
    left: Panel, right: Panel, palette: Palette, words: Words, *, is_shared: bool
) -> go.Figure:
    views = [view for _, view in (left, right) if view is not None]
    body = max(map(_height, views), default=LEAST_HEIGHT)
    has_note = any(view.is_cut for view in views)
    height = HEAD + body + EDGE + (18 if has_note else 0)
    sketch = canvas(palette, height)
    most = max((_reach(view) for view in views), default=0.0)
    for start, (caption, view) in ((0.0, left), (1 - HALF, right)):
        _draw_head(sketch, caption, view, start, height, palette)
        top = height - HEAD
        if view is None:
            across = (start, start + HALF)
            box(sketch, *across, top - body, top, fill=None, edge=palette.line, dash="dot")
            middle = start + HALF / 2
            none = words["gradient_none"]
            write(sketch, none, middle, top - body / 2, palette.muted, anchor="center")
            continue
        scale = (most if is_shared else _reach(view)) or 1.0
        draw = _draw_bars if view.is_vector else _draw_cells
        draw(sketch, caption, view, (start, top), scale, palette)
    if has_note:
        write(sketch, words["first_rows"], 0, 9, palette.muted, size=11)
    return go.Figure(sketch.spec())


def _height(view: View) -> int:
    return BARS if view.is_vector else max(LEAST_HEIGHT, min(CELL * len(view.grid), 320))


def _reach(view: View) -> float:
    return max((abs(each) for row in view.grid for each in row), default=0.0)


def _draw_head(
    sketch: Sketch, caption: str, view: View | None, start: float, height: int, palette: Palette
) -> None:
    write(sketch, f"<b>{caption}</b>", start, height - 10, palette.ink)
    if view is not None:
        ends = dict.fromkeys(f"{end:.3g}" for end in (view.least, view.most))
        told = " … ".join(ends) if view.grid and view.grid[0] else ""
        write(sketch, told, start, height - 27, palette.muted, is_code=True, size=11)


def _draw_cells(
    sketch: Sketch,
    name: str,
    view: View,
    corner: tuple[float, float],
    most: float,
    palette: Palette,
) -> None:
    """A heatmap: the colour says how large, its kind whether above or below 0."""
    (start, top), body = corner, _height(view)
    rows, columns = len(view.grid), len(view.grid[0]) if view.grid else 0
    if not columns:
        return
    wide, high = HALF / columns, body / rows
    sketch.add_heatmap(
        name=name,
        z=view.grid,
        x=[start + wide * (column + 0.5) for column in range(columns)],
        y=[top - high * (row + 0.5) for row in range(rows)],
        zmin=-most,
        zmax=most,
        colorscale=[[0, palette.trouble], [0.5, palette.paper], [1, palette.accent]],
        showscale=False,
        xgap=1,
        ygap=1,
        text=[[_told(row, column, view) for column in range(columns)] for row in range(rows)],
        hovertemplate="%{text}<extra></extra>",
    )
    box(sketch, start, start + HALF, top - body, top, fill=None, edge=palette.line)
    if columns <= MOST_WRITTEN:
        _write_numbers(sketch, name, view, (start, top), most, palette)


def _write_numbers(
    sketch: Sketch,
    name: str,
    view: View,
    corner: tuple[float, float],
    most: float,
    palette: Palette,
) -> None:
    (start, top), body = corner, _height(view)
    rows, columns = len(view.grid), len(view.grid[0])
    places = [(row, column) for row in range(rows) for column in range(columns)]
    values = [view.grid[row][column] for row, column in places]
    sketch.add_scatter(
        name=f"{name} numbers",
        mode="text",
        x=[start + HALF / columns * (column + 0.5) for _, column in places],
        y=[top - body / rows * (row + 0.5) for row, _ in places],
        text=[_short(value) for value in values],
        textfont={
            "family": MONOSPACE,
            "size": 10,
            "color": [palette.paper if abs(each) > DARK * most else palette.ink for each in values],
        },
        hoverinfo="skip",
    )


def _draw_bars(
    sketch: Sketch,
    name: str,
    view: View,
    corner: tuple[float, float],
    most: float,
    palette: Palette,
) -> None:
    """A bar for each value, up from the middle or down."""
    start, top = corner
    values = view.grid[0] if view.grid else ()
    if not values:
        return
    middle, reach = top - BARS / 2, BARS / 2 - 6
    wide = HALF / len(values)
    sketch.add_bar(
        name=name,
        x=[start + wide * (place + 0.5) for place in range(len(values))],
        y=[value / most * reach for value in values],
        base=middle,
        width=min(wide * 0.78, 0.06),
        marker={"color": [palette.accent if each >= 0 else palette.trouble for each in values]},
        text=[_told(0, place, view) for place in range(len(values))],
        textposition="none",
        hovertemplate="%{text}<extra></extra>",
    )
    sketch.add_scatter(
        x=[start, start + HALF],
        y=[middle, middle],
        mode="lines",
        line={"color": palette.muted, "width": 1},
        hoverinfo="skip",
    )


def _told(row: int, column: int, view: View) -> str:
    place = f"[{column}]" if view.is_vector else f"[{row}, {column}]"
    return f"{place} {view.grid[row][column]:.4g}"


def _short(value: float) -> str:
    """A number in at most five letters, or nearly.

    >>> _short(0.1234), _short(-0.5), _short(42.0), _short(0.00012)
    ('.12', '-.50', '42', '1e-4')
    """
    if value == 0:
        return "0"
    if abs(value) >= 10:
        return f"{value:.0f}" if abs(value) < 1000 else f"{value:.0e}".replace("e+0", "e")
    if abs(value) >= 1:
        return f"{value:.1f}"
    if abs(value) >= 0.005:
        return f"{value:.2f}".replace("0.", ".", 1)
    return f"{value:.0e}".replace("e-0", "e-")
