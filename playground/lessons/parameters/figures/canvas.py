"""This lesson's surface: across it goes from 0 to 1, one unit of height is one pixel."""

from playground.palette import Palette
from playground.sketch import MONOSPACE, Sketch


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


def write(
    sketch: Sketch,
    text: str,
    x: float,
    y: float,
    colour: str,
    *,
    anchor: str = "left",
    is_code: bool = False,
    size: int = 12,
) -> None:
    """Write a text at a place: ``x`` from 0 to 1, ``y`` in pixels, the text's middle."""
    font: dict[str, object] = {"color": colour, "size": size}
    if is_code:
        font["family"] = MONOSPACE
    sketch.add_annotation(x=x, y=y, text=text, xanchor=anchor, yanchor="middle", font=font)


def box(
    sketch: Sketch,
    left: float,
    right: float,
    bottom: float,
    top: float,
    *,
    fill: str | None,
    edge: str,
    dash: str = "solid",
) -> None:
    """Draw a rectangle behind everything else."""
    sketch.add_shape(
        type="rect",
        x0=left,
        x1=right,
        y0=bottom,
        y1=top,
        fillcolor=fill,
        line={"color": edge, "width": 1.2, "dash": dash},
        layer="below",
    )
