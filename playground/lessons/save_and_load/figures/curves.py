"""The loss of a run that never stopped, and of two that went on from its checkpoint."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from playground.lessons.save_and_load.records import LeftOut, ResumeTrainingReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch

HEIGHT = 300
LEAST_LOSS = 1e-6
FEW_EPOCHS = 8
COARSE, FINE = (1, 2, 5), (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8)


@drawn_once
def curves(report: ResumeTrainingReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the losses on a logarithmic scale, and where the checkpoint was written.

    Args:
        report: The losses.
        palette: The colours of the theme.
        words: Needs ``epoch``, ``loss``, ``checkpoint``, ``uninterrupted``, ``resumed`` and
            ``without_it``.
    """
    heights = [_height(loss) for loss in (*report.uninterrupted, *report.without)]
    low, high = min(heights), max(heights)
    room = max(0.1 * (high - low), 0.05)
    last = len(report.uninterrupted)
    sketch = Sketch(
        palette,
        height=HEIGHT,
        across=(0.5, last + 0.5),
        upwards=(low - room, high + room),
        margin=(46, 26),
        font={"size": 12},
        hover_font={"size": 12},
    )
    _add(sketch, words["uninterrupted"], 1, report.uninterrupted, palette.muted, width=6)
    before, after = report.before, report.before + 1
    joined = (*report.uninterrupted[before - 1 : before], *report.resumed)
    _add(sketch, words["resumed"], before, joined, palette.success, width=2.4)
    if report.left_out is not LeftOut.NOTHING:
        joined = (*report.uninterrupted[before - 1 : before], *report.without)
        _add(sketch, words["without_it"], before, joined, palette.trouble, width=2.4, dash="dash")
    sketch.add_shape(
        type="line",
        x0=before,
        x1=before,
        y0=low - room,
        y1=high + room,
        line={"color": palette.accent, "width": 1.4, "dash": "dot"},
        layer="below",
    )
    sketch.add_annotation(
        x=before,
        y=high + room,
        text=words["checkpoint"],
        xanchor="left" if after <= last * 0.6 else "right",
        yanchor="top",
        font={"color": palette.accent, "size": 12},
    )
    return go.Figure(_with_axes(sketch, palette, words, (low, high), last))


def _add(
    sketch: Sketch,
    name: str,
    first: int,
    losses: Sequence[float],
    colour: str,
    *,
    width: float,
    dash: str = "solid",
) -> None:
    sketch.add_scatter(
        x=list(range(first, first + len(losses))),
        y=[_height(loss) for loss in losses],
        name=name,
        mode="lines+markers" if len(losses) < 3 else "lines",
        line={"color": colour, "width": width, "dash": dash},
        opacity=0.45 if width > 3 else 1,
        customdata=list(losses),
        hovertemplate="%{x}: %{customdata:.6g}<extra>" + name + "</extra>",
    )


def _height(loss: float) -> float:
    return math.log10(max(loss, LEAST_LOSS)) if math.isfinite(loss) else 0.0


def _with_axes(
    sketch: Sketch, palette: Palette, words: Words, span: tuple[float, float], last: int
) -> dict[str, object]:
    spec = sketch.spec()
    layout = spec["layout"]
    assert isinstance(layout, dict)
    axis = {
        "visible": True,
        "showgrid": True,
        "gridcolor": palette.line,
        "zeroline": False,
        "color": palette.muted,
    }
    layout["xaxis"] |= {**axis, "title": {"text": words["epoch"], "standoff": 8}}
    ticks = _ticks(*span)
    layout["yaxis"] |= {
        **axis,
        "tickvals": [math.log10(tick) for tick in ticks],
        "ticktext": [f"{tick:g}" for tick in ticks],
    }
    layout |= {
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": -0.22, "font": {"color": palette.ink}},
        "margin": {"l": 46, "r": 10, "t": 26, "b": 10},
    }
    layout["xaxis"] |= {"automargin": True}
    if last <= FEW_EPOCHS:  # else plotly's own marks are whole numbers already
        layout["xaxis"] |= {"dtick": 1}
    title = {
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "text": words["loss"],
        "font": {"color": palette.muted, "size": 12},
    }
    layout["annotations"] = [*layout["annotations"], title]
    return spec


def _ticks(low: float, high: float) -> list[float]:
    """Round losses: 1, 2 or 5 of each power of ten, or more of them where these are too few."""
    powers = range(math.floor(low) - 1, math.ceil(high) + 1)
    shown: list[float] = []
    for steps in (COARSE, FINE):
        ticks = [each * 10.0**power for power in powers for each in steps]
        shown = [tick for tick in ticks if low - 0.1 <= math.log10(tick) <= high + 0.1]
        if len(shown) > 1:
            break
    return shown
