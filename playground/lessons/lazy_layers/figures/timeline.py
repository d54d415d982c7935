"""The stops of a lazy network: a column for each, a row for each layer that was lazy."""

import plotly.graph_objects as go

from playground.lessons.lazy_layers.figures.lines import shape_text, word
from playground.lessons.lazy_layers.records import LazyTimelineReport, SeenLayer, StageName
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import canvas, draw_cell

HEAD = 36
ROW = 66
CELL = 30
FOOT = 22
MOST_ROWS = 8


@drawn_once
def timeline(report: LazyTimelineReport, palette: Palette, words: Words) -> go.Figure:
    """Draw every layer at every stop: dotted while it has no shape, then with its shape.

    Args:
        report: A network that was followed.
        palette: The colours of the theme.
        words: Needs ``stop_…`` for each stop, and ``more_layers``.
    """
    layers = report.stages[0].layers
    shown = layers[:MOST_ROWS]
    more = len(layers) - len(shown)
    height = HEAD + ROW * len(shown) + (FOOT if more else 0)
    sketch = canvas(palette, height)
    width = 1 / len(StageName)
    for column, name in enumerate(StageName):
        is_reached = column < len(report.stages)
        word(
            sketch,
            width * (column + 0.5),
            height - HEAD / 2,
            f"<b>{words[f'stop_{name}']}</b>" if is_reached else words[f"stop_{name}"],
            palette.ink if is_reached else palette.muted,
            size=11,
            left=False,
        )
    for row in range(len(shown)):
        top = height - HEAD - ROW * row
        seen = [stage.layers[row] for stage in report.stages]
        _draw_title(sketch, seen, top, palette)
        for column, layer in enumerate(seen):
            _draw_stop(sketch, layer, (column, width, top), report, palette)
    if more:
        word(sketch, 0, FOOT / 2, f"+ {more} {words['more_layers']}", palette.muted)
    return go.Figure(sketch.spec())


def _draw_title(sketch: Sketch, seen: list[SeenLayer], top: float, palette: Palette) -> None:
    kinds = " → ".join(dict.fromkeys(each.type_name for each in seen))
    path = seen[0].path or "net"
    word(sketch, 0, top - 12, f"<b>{path}</b>  {kinds}", palette.ink)


def _draw_stop(
    sketch: Sketch,
    layer: SeenLayer,
    at: tuple[int, float, float],
    report: LazyTimelineReport,
    palette: Palette,
) -> None:
    column, width, top = at
    colour = palette.device(layer.device)
    shape = "?" if layer.shape is None else shape_text(layer.shape)
    told = [layer.type_name, f"{layer.weight or '—'}: {layer.kind or '—'}"]
    told.append("?" if layer.shape is None else str(layer.shape))
    told.append(layer.device)
    draw_cell(
        sketch,
        (width * column + 0.006, top - 26 - CELL, width - 0.012, CELL),
        name=f"{layer.path} {report.stages[column].name}",
        text=shape,
        told="<br>".join(each for each in told if each),
        fill=None if layer.shape is None else tinted(colour.fill, 0.16),
        edge=colour.fill,
        ink=palette.muted if layer.shape is None else palette.ink,
        is_dotted=layer.shape is None,
        size=11 if len(shape) <= 8 else 9,
    )
