"""Arrows, and texts that tell more on hover."""

from playground.palette import Palette
from playground.sketch import MONOSPACE, Sketch
from playground.sketch.canvas import canvas

Point = tuple[float, float]
EDGE = 0.006  # room at both sides, so that no line is cut


def surface(palette: Palette, height: float) -> Sketch:
    """An empty sketch of a height in pixels; across it goes from 0 to 1."""
    return canvas(palette, height, across=(-EDGE, 1 + EDGE))


def draw_arrow(sketch: Sketch, start: Point, end: Point, colour: str) -> None:
    """Draw an arrow between two points; it is an annotation without a text."""
    sketch.add_annotation(
        x=end[0],
        y=end[1],
        ax=start[0],
        ay=start[1],
        xref="x",
        yref="y",
        axref="x",
        ayref="y",
        text="",
        showarrow=True,
        arrowhead=2,
        arrowsize=1.1,
        arrowwidth=1.6,
        arrowcolor=colour,
    )


def add_text(sketch: Sketch, name: str, text: str, x: float, y: float, **more: object) -> None:
    """Write a text that tells more on hover: ``hover`` and ``colour`` among the properties."""
    hover, colour, size = more.pop("hover", text), more.pop("colour", None), more.pop("size", 11)
    font = {"family": MONOSPACE} if more.pop("is_code", True) else {}
    sketch.add_scatter(
        x=[x],
        y=[y],
        name=name,
        mode="text",
        text=[text],
        textfont={"color": colour, "size": size, **font},
        hovertext=[hover],
        hovertemplate="%{hovertext}<extra></extra>",
        **more,
    )
