"""The losses of two trainings, one over the other."""

import plotly.graph_objects as go

from playground.lessons.custom_layers.records import Run, TrainThroughReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch
from playground.sketch.canvas import canvas, rule

HEIGHT = 220
TOP = 50  # px above the curves, for their names
BOTTOM = 24
LEFT = 0.09  # of the width, for the numbers


@drawn_once
def losses(report: TrainThroughReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the loss of every step, as it should be and with ``.data``.

    Args:
        report: Both trainings.
        palette: The colours of the theme.
        words: Needs ``run_parameters``, ``run_data``, ``no_losses``, ``loss`` and ``steps_axis``.
    """
    steps = len(report.good.losses) - 1
    most = max((*report.good.losses, *report.bad.losses)) or 1.0
    left = -steps * LEFT / (1 - LEFT)
    sketch = canvas(palette, HEIGHT, (left, steps * 1.03))
    _draw_axes(sketch, steps, most, left, palette, words)
    runs = (
        (report.good, palette.success, "solid", 2.0),
        (report.bad, palette.trouble, "dash", 2.4),
    )
    for index, (run, colour, dash, width) in enumerate(runs):
        label = words[f"run_{run.way}"]
        if not run.losses:
            label = f"{label}: {words['no_losses']}"
        sketch.add_annotation(
            xref="paper",
            x=0,
            y=HEIGHT - 10 - 17 * index,
            xanchor="left",
            text=f"<b>{'━━' if dash == 'solid' else '╍╍'} {label}</b>",
            font={"color": colour, "size": 12},
        )
        if run.losses:
            _draw_run(sketch, run, most, colour, dash, width)
    return go.Figure(sketch.spec())


def height_of(loss: float, most: float) -> float:
    """Where a loss is, in pixels from below."""
    return BOTTOM + (HEIGHT - TOP - BOTTOM) * loss / most


def _draw_run(sketch: Sketch, run: Run, most: float, colour: str, dash: str, width: float) -> None:
    sketch.add_scatter(
        x=list(range(len(run.losses))),
        y=[height_of(loss, most) for loss in run.losses],
        name=run.way,
        mode="lines",
        line={"color": colour, "width": width, "dash": dash},
        text=[f"{loss:.3g}" for loss in run.losses],
        hovertemplate="%{x}: %{text}<extra></extra>",
    )


def _draw_axes(
    sketch: Sketch, steps: int, most: float, left: float, palette: Palette, words: Words
) -> None:
    muted = {"color": palette.muted, "size": 11}
    for value in (0.0, most / 2, most):
        y = height_of(value, most)
        rule(sketch, (0, steps), (y, y), palette.line)
        sketch.add_annotation(x=left, y=y, xanchor="left", text=f"{value:.2g}", font=muted)
    for step, anchor in ((0, "left"), (steps, "right")):
        sketch.add_annotation(x=step, y=BOTTOM - 12, xanchor=anchor, text=str(step), font=muted)
    sketch.add_annotation(x=steps / 2, y=BOTTOM - 12, text=words["steps_axis"], font=muted)
    sketch.add_annotation(
        xref="paper", x=1, y=HEIGHT - 10, xanchor="right", text=words["loss"], font=muted
    )
