"""This lesson's surface: one unit of height is one pixel."""

from playground.palette import Palette
from playground.sketch import MONOSPACE, Sketch, Span


def canvas(palette: Palette, height: int, across: Span = (0, 1)) -> Sketch:
    """An empty sketch of a height in pixels."""
    return Sketch(
        palette,
        height=height,
        across=across,
        upwards=(0, height),
        font={"size": 12},
        hover_font={"family": MONOSPACE, "size": 12},
    )


def rule(sketch: Sketch, x: Span, y: Span, colour: str, dash: str = "solid") -> None:
    """A hairline behind everything else."""
    sketch.add_shape(
        type="line",
        x0=x[0],
        x1=x[1],
        y0=y[0],
        y1=y[1],
        line={"color": colour, "width": 1.2, "dash": dash},
        layer="below",
    )
