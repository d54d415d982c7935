"""How far apart different inputs still are, layer by layer, on a logarithmic scale."""

import math

import plotly.graph_objects as go

from playground.lessons.parameters.records import FeedNetworkReport, Stop
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch
from playground.sketch.canvas import canvas, write

HEIGHT = 250
TOP = 40
BOTTOM = 34
LEFT = 0.13
RIGHT = 0.98
FLOOR = -12  # powers of ten: what is smaller, and what is 0, stands on the floor


@drawn_once
def spread(report: FeedNetworkReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the spread over the examples behind every layer, and the size of the values.

    Args:
        report: A network that was fed.
        palette: The colours of the theme.
        words: Needs ``line_spread``, ``line_size``, ``way_in`` and ``way_out``.
    """
    sketch = canvas(palette, HEIGHT)
    stops = report.stops
    powers = [power_of(value) for stop in stops for value in (stop.spread, stop.size)]
    low, high = math.floor(min(powers)), max(math.ceil(max(powers)), math.floor(min(powers)) + 1)
    every = max(1, math.ceil((high - low) / 5))
    for power in range(low, high + 1, every):
        y = _height_of(power, low, high)
        _draw_rule(sketch, y, palette)
        write(sketch, _written(power), LEFT - 0.02, y, palette.muted, anchor="right", size=11)
    for name, colour, dash in (
        ("size", palette.muted, "dot"),
        ("spread", palette.accent, "solid"),
    ):
        values = [getattr(stop, name) for stop in stops]
        sketch.add_scatter(
            name=name,
            x=[_place(index, len(stops)) for index in range(len(stops))],
            y=[_height_of(power_of(value), low, high) for value in values],
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": dash},
            marker={"size": 7 if name == "spread" else 5, "color": colour},
            hovertext=[_told(stop) for stop in stops],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    write(sketch, f"<b>● {words['line_spread']}</b>", 0, HEIGHT - 10, palette.accent)
    write(sketch, f"● {words['line_size']}", 0, HEIGHT - 27, palette.muted, size=11)
    write(sketch, words["way_in"], LEFT, 12, palette.muted, size=11)
    write(sketch, words["way_out"], RIGHT, 12, palette.muted, anchor="right", size=11)
    return go.Figure(sketch.spec())


def power_of(value: float) -> float:
    """The power of ten; nothing below the floor.

    >>> power_of(0.01), power_of(0.0)
    (-2.0, -12)
    """
    if not math.isfinite(value) or value <= 10**FLOOR:
        return FLOOR
    return math.log10(value)


def _height_of(power: float, low: int, high: int) -> float:
    return BOTTOM + (HEIGHT - TOP - BOTTOM - 10) * (power - low) / (high - low)


def _place(index: int, count: int) -> float:
    return LEFT + 0.01 + (RIGHT - LEFT - 0.02) * (index / max(count - 1, 1))


def _draw_rule(sketch: Sketch, y: float, palette: Palette) -> None:
    sketch.add_shape(
        type="line",
        x0=LEFT,
        x1=RIGHT,
        y0=y,
        y1=y,
        line={"color": palette.line, "width": 1},
        layer="below",
    )


def _written(power: int) -> str:
    return f"10<sup>{power}</sup>" if power > FLOOR else "0"


def _told(stop: Stop) -> str:
    named = f"{stop.path} {stop.type_name}" if stop.path else "X"
    return f"{named}<br>σ = {stop.spread:.3g}<br>|·| = {stop.size:.3g}"
