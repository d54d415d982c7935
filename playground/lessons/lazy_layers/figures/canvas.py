"""This lesson's surface: one unit of height is one pixel, and boxes with a word in them."""

from playground.palette import Palette
from playground.sketch import MONOSPACE, Sketch

Box = tuple[float, float, float, float]  # left, bottom, width and height


def canvas(palette: Palette, height: int) -> Sketch:
    """An empty sketch of a height in pixels."""
    return Sketch(
        palette,
        height=height,
        across=(0, 1),
        upwards=(0, height),
        font={"size": 12},
        hover_font={"family": MONOSPACE, "size": 12},
    )


def box(
    sketch: Sketch,
    place: Box,
    *,
    name: str,
    text: str,
    told: str,
    fill: str | None,
    edge: str,
    ink: str,
    is_dotted: bool = False,
    size: int = 12,
) -> None:
    """A box with a text in its middle, and more of it on hover."""
    left, bottom, width, height = place
    sketch.add_shape(
        type="rect",
        x0=left,
        x1=left + width,
        y0=bottom,
        y1=bottom + height,
        fillcolor=fill,
        line={"color": edge, "width": 1.4, "dash": "dot" if is_dotted else "solid"},
        layer="below",
    )
    sketch.add_scatter(
        x=[left + width / 2],
        y=[bottom + height / 2],
        name=name,
        mode="text",
        text=[text],
        textfont={"color": ink, "size": size, "family": MONOSPACE},
        hovertext=[told],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def line(
    sketch: Sketch, start: tuple[float, float], end: tuple[float, float], colour: str, name: str
) -> None:
    """A line behind the boxes."""
    sketch.add_shape(
        type="line",
        x0=start[0],
        y0=start[1],
        x1=end[0],
        y1=end[1],
        name=name,
        line={"color": colour, "width": 1.6},
        layer="below",
    )


def word(
    sketch: Sketch, x: float, y: float, text: str, colour: str, *, size: int = 12, left: bool = True
) -> None:
    """A text that begins at x, or has its middle there."""
    sketch.add_annotation(
        x=x,
        y=y,
        xanchor="left" if left else "center",
        text=text,
        font={"color": colour, "size": size},
    )


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape where there is little room.

    >>> shape_text((256, 20)), shape_text(())
    ('256×20', '1')
    """
    return "×".join(map(str, shape)) or "1"
