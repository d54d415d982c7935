"""The table of pairs: every device of the batch with every device of the model, and what works."""

import plotly.graph_objects as go

from playground.lessons.models.records import FeedModelReport, Pair
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import canvas

LEFT = 0.24
HEAD = 44
ROW = 36
EDGE = 4


@drawn_once
def pairs(report: FeedModelReport, palette: Palette, words: Words) -> go.Figure:
    """Draw one cell for each pair; the pair that was chosen has a frame.

    Args:
        report: A layer that was fed.
        palette: The colours of the theme.
        words: Needs ``batch`` and ``model``.
    """
    devices = report.devices
    height = HEAD + ROW * len(devices) + EDGE
    sketch = canvas(palette, height)
    _draw_heads(sketch, report, height, palette, words)
    for index, pair in enumerate(report.pairs):
        column, row = divmod(index, len(devices))
        x = LEFT + (1 - LEFT) * (column + 0.5) / len(devices)
        y = height - HEAD - ROW * (row + 0.5)
        is_chosen = (pair.batch, pair.model) == (report.batch, report.model)
        _draw_pair(sketch, pair, x, y, is_chosen, palette)
    return go.Figure(sketch.spec())


def _draw_heads(
    sketch: Sketch, report: FeedModelReport, height: int, palette: Palette, words: Words
) -> None:
    names = (
        (LEFT + (1 - LEFT) / 2, height - 9, "center", words["batch"]),
        (0.01, height - HEAD + 12, "left", words["model"]),
    )
    for x, y, anchor, text in names:
        sketch.add_annotation(
            x=x, y=y, xanchor=anchor, text=text, font={"color": palette.muted, "size": 12}
        )
    count = len(report.devices)
    for index, device in enumerate(report.devices):
        font = {"color": palette.device(device).text, "size": 12}
        short = device if count < 6 else device.removeprefix("cuda")
        across = LEFT + (1 - LEFT) * (index + 0.5) / count
        sketch.add_annotation(x=across, y=height - HEAD + 10, text=f"<b>{short}</b>", font=font)
        down = height - HEAD - ROW * (index + 0.5)
        sketch.add_annotation(x=0.01, y=down, xanchor="left", text=f"<b>{device}</b>", font=font)


def _draw_pair(
    sketch: Sketch, pair: Pair, x: float, y: float, is_chosen: bool, palette: Palette
) -> None:
    works = pair.outcome.ok
    colour = palette.success if works else palette.trouble
    sketch.add_scatter(
        x=[x],
        y=[y],
        name=f"{pair.batch} × {pair.model}",
        mode="markers+text",
        marker={
            "symbol": "square",
            "size": 28,
            "color": tinted(colour, 0.12),
            "line": {"color": palette.ink if is_chosen else colour, "width": 3 if is_chosen else 1},
            "opacity": 1,
        },
        text=["<b>✓</b>" if works else "<b>✗</b>"],
        textposition="middle center",
        textfont={"color": colour, "size": 14},
        hovertemplate=f"{pair.batch} × {pair.model}<extra></extra>",
    )
