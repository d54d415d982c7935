"""Cells, lines and texts, for the pictures of this lesson."""

from playground.palette import Palette
from playground.sketch import Sketch, tinted


def draw_line(
    sketch: Sketch, start: tuple[float, float], end: tuple[float, float], colour: str
) -> None:
    """A line between two points."""
    sketch.add_shape(
        type="line",
        x0=start[0],
        y0=start[1],
        x1=end[0],
        y1=end[1],
        line={"color": colour, "width": 1.6},
        layer="below",
    )


def write(
    sketch: Sketch, x: float, y: float, text: str, colour: str, *, size: int = 12, **more: object
) -> None:
    """A text at a point."""
    sketch.add_annotation(x=x, y=y, text=text, font={"color": colour, "size": size}, **more)


def shade(value: float, most: float, palette: Palette) -> str:
    """The fill of a number: the accent above 0, ink below, the deeper the larger."""
    share = min(abs(value) / most, 1.0) if most else 0.0
    colour = palette.accent if value > 0 else palette.ink
    return tinted(colour, 0.03 + 0.34 * share)
