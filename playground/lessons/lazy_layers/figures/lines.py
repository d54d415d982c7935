"""Lines, words and shapes of tensors, for the pictures of this lesson."""

from playground.sketch import Sketch


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
