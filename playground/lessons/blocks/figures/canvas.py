"""This lesson's surface: across it goes from 0 to 1, one unit of height is one pixel."""

from playground.palette import Palette
from playground.sketch import MONOSPACE, Sketch

NARROWEST = 296  # pixels that a figure has on a phone 360 px wide


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


def line(
    sketch: Sketch,
    xs: list[float],
    ys: list[float],
    colour: str,
    width: float = 1,
    dash: str = "solid",
) -> None:
    """Draw a line through points."""
    sketch.add_scatter(
        x=xs,
        y=ys,
        mode="lines",
        line={"color": colour, "width": width, "dash": dash},
        hoverinfo="skip",
    )
