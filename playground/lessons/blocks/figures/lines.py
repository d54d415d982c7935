"""A line through points, for the pictures of this lesson."""

from playground.sketch import Sketch


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
