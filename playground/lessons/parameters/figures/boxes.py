"""Boxes, for the pictures of this lesson."""

from playground.sketch import Sketch


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
