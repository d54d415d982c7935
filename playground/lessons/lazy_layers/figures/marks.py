"""What can be done before the first batch, and what after it: a mark for each."""

import plotly.graph_objects as go

from playground.lessons.lazy_layers.figures.lines import word
from playground.lessons.lazy_layers.records import TryTooEarlyReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, tinted
from playground.sketch.canvas import canvas, draw_cell

HEAD = 26
ROW = 27
MARK = 0.11


@drawn_once
def marks(report: TryTooEarlyReport, palette: Palette, words: Words) -> go.Figure:
    """Draw a row for each action; the chosen one is framed.

    Args:
        report: Actions that were tried.
        palette: The colours of the theme.
        words: Needs ``mark_before`` and ``mark_after``.
    """
    height = HEAD + ROW * len(report.tried) + 2
    sketch = canvas(palette, height)
    places = {"before": 1 - 2 * MARK, "after": 1 - MARK}
    for name, left in places.items():
        text = words[f"mark_{name}"]
        word(sketch, left + MARK / 2, height - HEAD / 2, text, palette.muted, size=11, left=False)
    for row, tried in enumerate(report.tried):
        bottom = height - HEAD - ROW * (row + 1)
        is_chosen = tried.action is report.action
        code = tried.action.short
        sketch.add_annotation(
            x=0,
            y=bottom + ROW / 2,
            xanchor="left",
            text=f"<b>{code}</b>" if is_chosen else code,
            font={"color": palette.ink, "size": 10, "family": MONOSPACE},
        )
        for name, answer in (("before", tried.before), ("after", tried.after)):
            colour = palette.success if answer.outcome.ok else palette.trouble
            draw_cell(
                sketch,
                (places[name] + 0.006, bottom + 2, MARK - 0.012, ROW - 4),
                name=f"{tried.action} {name}",
                text="<b>✓</b>" if answer.outcome.ok else "<b>✗</b>",
                told=f"{code}<br>{answer.short}",
                fill=tinted(colour, 0.12),
                edge=palette.ink if is_chosen else tinted(colour, 0.35),
                ink=colour,
            )
    return go.Figure(sketch.spec())
