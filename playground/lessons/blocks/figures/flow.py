"""The flow: a batch on its way through layers in a row, and whose hook ran."""

import plotly.graph_objects as go

from playground.lessons.blocks.figures.lines import line
from playground.lessons.blocks.records import CallSequentialReport
from playground.lessons.blocks.records.sequential import LAYERS
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import canvas, write

EDGE = 6
BAR = 18
ROW = 54
LEFT = 0.06  # the line of the network
START = 0.12
MOST_FEATURES = 256
LEAST = 0.012  # the width of one feature
ROOM = 0.62


@drawn_once
def flow(report: CallSequentialReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the batch as a bar after each layer, as wide as its features, and a dot for each hook.

    Args:
        report: A batch that was sent through the layers.
        palette: The colours of the theme.
        words: Needs ``hook_ran`` and ``hook_silent``.
    """
    height = 2 * EDGE + BAR + ROW * len(LAYERS) + 26
    sketch = canvas(palette, height)
    names = {each.name for each in report.called}
    shapes = {each.name: each.output_shape for each in report.called}
    top = height - EDGE
    _draw_bar(sketch, report.input_shape, top, palette.ink, palette, "X")
    for index, layer in enumerate(LAYERS):
        base = top - BAR - ROW * index
        has_run = str(index) in names
        is_trouble = not report.outcome.ok and index == len(shapes)
        ink = palette.ink if has_run else palette.trouble if is_trouble else palette.muted
        _draw_hook(sketch, LEFT + 0.08, base - 16, has_run, palette, words)
        text = f"<b>{index}</b>  {layer.removeprefix('nn.')}{'  <b>✗</b>' if is_trouble else ''}"
        write(sketch, text, START + 0.07, base - 17, ink, is_code=True)
        if has_run:
            _draw_bar(sketch, shapes[str(index)], base - 32, palette.ink, palette, str(index))
    line(sketch, [LEFT, LEFT], [30, top], palette.line, 3)
    _draw_hook(sketch, LEFT, 14, "" in names, palette, words)
    write(
        sketch, "net", LEFT + 0.06, 14, palette.ink if "" in names else palette.muted, is_code=True
    )
    return go.Figure(sketch.spec())


def _draw_bar(
    sketch: Sketch, shape: tuple[int, ...], top: float, ink: str, palette: Palette, name: str
) -> None:
    share = min(1.0, max(LEAST, shape[-1] / MOST_FEATURES))
    right = START + ROOM * share
    sketch.add_scatter(
        x=[START, right, right, START, START],
        y=[top - BAR, top - BAR, top, top, top - BAR],
        name=name,
        mode="lines",
        fill="toself",
        fillcolor=tinted(palette.accent, 0.25),
        line={"color": palette.accent, "width": 1.2},
        hoverinfo="skip",
    )
    label = f"X {shape}" if name == "X" else str(shape)
    write(sketch, label, right + 0.02, top - BAR / 2, ink, is_code=True, size=11)


def _draw_hook(
    sketch: Sketch, x: float, y: float, has_run: bool, palette: Palette, words: Words
) -> None:
    said = words["hook_ran"] if has_run else words["hook_silent"]
    sketch.add_scatter(
        x=[x],
        y=[y],
        name="hook" if has_run else "no hook",
        mode="markers",
        marker={
            "symbol": "circle" if has_run else "circle-open",
            "size": 11,
            "color": palette.success if has_run else palette.muted,
            "line": {"color": palette.success if has_run else palette.muted, "width": 2},
            "opacity": 1,
        },
        hovertemplate=f"{said}<extra></extra>",
    )
