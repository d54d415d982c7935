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
