"""A batch, and what its sizes decide: the size that counts, and the places where it comes again."""

import plotly.graph_objects as go

from playground.lessons.lazy_layers.figures.lines import line, word
from playground.lessons.lazy_layers.records import FeedLazyLayerReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import canvas, draw_cell

ROW = 58
CELL = 30
WIDTH = 0.13
STEP = 0.15


@drawn_once
def decided(report: FeedLazyLayerReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the batch's shape above, those of the layer's tensors below.

    Args:
        report: A layer that was fed.
        palette: The colours of the theme.
        words: Needs ``first_batch`` and ``no_shape_yet``.
    """
    kind = report.kind
    tensors = [each for each in kind.tensors if each.was_waiting]
    height = ROW * (len(tensors) + 1)
    sketch = canvas(palette, height)
    word(sketch, 0, height - 11, f"<b>{words['first_batch']}</b>", palette.ink)
    chosen = () if kind.dimension is None else (kind.dimension,)
    _draw_shape(sketch, "batch", kind.batch, chosen, height, palette)
    for row, tensor in enumerate(tensors, start=1):
        top = height - ROW * row
        word(sketch, 0, top - 11, f"<b>{tensor.name}</b>", palette.ink)
        if tensor.shape is None:
            draw_cell(
                sketch,
                (0.002, top - 24 - CELL, WIDTH, CELL),
                name=f"{tensor.name} ?",
                text="?",
                told=words["no_shape_yet"],
                fill=None,
                edge=palette.muted,
                ink=palette.muted,
                is_dotted=True,
            )
            continue
        _draw_shape(sketch, tensor.name, tensor.shape, tensor.decided, top, palette)
        if row == 1 and kind.dimension is not None:
            for place in tensor.decided:
                start = (kind.dimension * STEP + WIDTH / 2, height - 24 - CELL)
                line(sketch, start, (place * STEP + WIDTH / 2, top - 24), palette.accent, "way")
    return go.Figure(sketch.spec())


def _draw_shape(
    sketch: Sketch,
    name: str,
    shape: tuple[int, ...],
    marked: tuple[int, ...],
    top: float,
    palette: Palette,
) -> None:
    for place, size in enumerate(shape):
        is_marked = place in marked
        draw_cell(
            sketch,
            (0.002 + place * STEP, top - 24 - CELL, WIDTH, CELL),
            name=f"{name}[{place}]",
            text=f"<b>{size}</b>" if is_marked else str(size),
            told=f"{name}.shape[{place}] == {size}",
            fill=tinted(palette.accent, 0.2) if is_marked else None,
            edge=palette.accent if is_marked else palette.line,
            ink=palette.ink,
        )
