"""The surface of most pictures: one unit of height is one pixel, the width is shared out."""

from playground.palette import Palette
from playground.sketch import MONOSPACE, Sketch, Span

Box = tuple[float, float, float, float]  # left, bottom, width, height
NARROWEST = 296  # pixels that a figure has on a phone 360 px wide


def canvas(palette: Palette, height: float, across: Span = (0, 1)) -> Sketch:
    """An empty sketch of a height in pixels."""
    return Sketch(
        palette,
        height=height,
        across=across,
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
    """Write a text at a place; ``y`` is its middle."""
    font: dict[str, object] = {"color": colour, "size": size}
    if is_code:
        font["family"] = MONOSPACE
    sketch.add_annotation(x=x, y=y, text=text, xanchor=anchor, yanchor="middle", font=font)


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


def draw_box(
    sketch: Sketch,
    box: Box,
    *,
    fill: str | None,
    edge: str,
    width: float = 1.2,
    dash: str = "solid",
) -> None:
    """A rectangle behind everything else."""
    left, bottom, across, upwards = box
    sketch.add_shape(
        type="rect",
        x0=left,
        x1=left + across,
        y0=bottom,
        y1=bottom + upwards,
        fillcolor=fill,
        line={"color": edge, "width": width, "dash": dash},
        layer="below",
    )


def draw_cell(
    sketch: Sketch,
    box: Box,
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
    left, bottom, width, height = box
    draw_box(sketch, box, fill=fill, edge=edge, width=1.4, dash="dot" if is_dotted else "solid")
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
