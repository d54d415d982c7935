"""Grids: a weight with its gradient, two layouts of a weight, and what a way of holding does."""

import plotly.graph_objects as go

from playground.lessons.custom_layers.records import (
    Copying,
    CopyWeightsReport,
    Held,
    HoldTensorReport,
    UseMyLinearReport,
)
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch, tinted
from playground.sketch.canvas import canvas, draw_cell

HEAD = 30
ROW = 30
SIDE = 0.17  # of the width, for the names of rows
GAP = 0.05
MOST_WRITTEN = 5  # columns whose cells still have room for their names
CAPTION = 22
HOLD_HEAD = 40
HOLD_ROW = 50
HOLD_HEADS = ("param-<br>eters()", "state_<br>dict()", ".to()", ".grad", "step()")


@drawn_once
def gradient_map(report: UseMyLinearReport, palette: Palette, words: Words) -> go.Figure:
    """Draw ``weight.grad`` where the weight is: a row for each input, a column for each unit.

    Args:
        report: A layer that was gone back through.
        palette: The colours of the theme.
        words: Needs ``input`` and ``unit_name``.
    """
    height = HEAD + ROW * report.units_in + 4
    sketch = canvas(palette, height)
    grad = report.weight_grad
    most = max((abs(each) for row in grad or () for each in row), default=0) or 1.0
    width = (1 - SIDE) / report.units
    muted = {"color": palette.muted, "size": 11}
    for j in range(report.units):
        short = f"{words['unit_name']} {j}" if report.units <= MOST_WRITTEN else str(j)
        x = SIDE + width * (j + 0.5)
        sketch.add_annotation(x=x, y=height - HEAD / 2, text=short, font=muted)
    for i in range(report.units_in):
        y = height - HEAD - ROW * (i + 0.5)
        sketch.add_annotation(x=0, y=y, xanchor="left", text=f"{words['input']} {i}", font=muted)
        for j in range(report.units):
            value = None if grad is None else grad[i][j]
            share = 0 if value is None else abs(value) / most
            _draw_cell(
                sketch,
                (SIDE + width * j, y - ROW / 2, width, ROW),
                name=f"grad[{i}][{j}]",
                text="None" if value is None else f"{value:.2g}",
                fill=tinted(palette.accent, 0.08 + 0.32 * share) if share else None,
                edge=palette.trouble if value is None else palette.line,
                ink=palette.ink if share else palette.muted,
                told=f"weight[{i}][{j}] = {report.weight[i][j]:.3g}",
                is_dotted=value is None,
            )
    return go.Figure(sketch.spec())


@drawn_once
def layouts(report: CopyWeightsReport, palette: Palette, words: Words) -> go.Figure:
    """Draw both weights, each number named by the input and the unit that it belongs to.

    Args:
        report: A weight that was copied, or refused.
        palette: The colours of the theme.
        words: Needs ``is_empty``.
    """
    units_in, units = report.own_shape
    height = CAPTION + 26 * max(units_in, units) + 18
    sketch = canvas(palette, height)
    half = (1 - GAP) / 2
    own = [[(i, j) for j in range(units)] for i in range(units_in)]
    needed = [[(i, j) for i in range(units_in)] for j in range(units)]
    got = None
    if report.outcome.ok:
        got = needed if report.copying is Copying.TRANSPOSED else own
    captions = (
        (0.0, f"MyLinear {report.own_shape}"),
        (half + GAP, f"nn.Linear {report.linear_shape}"),
    )
    for x, text in captions:
        sketch.add_annotation(
            x=x,
            y=height - CAPTION / 2,
            xanchor="left",
            text=f"<b>{text}</b>",
            font={"color": palette.ink, "size": 12},
        )
    _draw_grid(sketch, "own", own, own, (0.0, height - CAPTION), half, palette)
    _draw_grid(sketch, "linear", needed, got, (half + GAP, height - CAPTION), half, palette)
    if got is None:
        sketch.add_annotation(
            x=half + GAP,
            y=8,
            xanchor="left",
            text=f"✗ {words['is_empty']}",
            font={"color": palette.trouble, "size": 12},
        )
    return go.Figure(sketch.spec())


Names = list[list[tuple[int, int]]]


def _draw_grid(
    sketch: Sketch,
    name: str,
    needed: Names,
    got: Names | None,
    corner: tuple[float, float],
    width: float,
    palette: Palette,
) -> None:
    """A weight as cells; ``needed`` is what belongs where, ``got`` what came to be there."""
    columns = len(needed[0])
    inputs = 1 + max(i for row in needed for i, _ in row)
    cell = width / max(columns, 3)
    for r, row in enumerate(needed):
        for c, right in enumerate(row):
            there = None if got is None else got[r][c]
            i, j = there or right
            is_wrong = there is not None and there != right
            _draw_cell(
                sketch,
                (corner[0] + cell * c, corner[1] - 26 * (r + 1), cell, 26),
                name=f"{name}[{r}][{c}]",
                text=f"{i}→{j}" if there and columns <= MOST_WRITTEN else "",
                fill=tinted(palette.accent, 0.08 + 0.4 * (i + 1) / inputs) if there else None,
                edge=palette.trouble if is_wrong else palette.line,
                ink=palette.ink,
                told=f"{name}.weight[{r}][{c}]: {i}→{j}",
                is_dotted=there is None,
            )


@drawn_once
def holdings(report: HoldTensorReport, palette: Palette, words: Words) -> go.Figure:
    """Draw a row for each way of holding: what PyTorch does for it; the chosen one is framed.

    Args:
        report: All ways, tried.
        palette: The colours of the theme.
        words: Needs one ``held_…`` for each way.
    """
    height = HOLD_HEAD + HOLD_ROW * len(report.every) + 4
    sketch = canvas(palette, height)
    width = 1 / len(HOLD_HEADS)
    for index, text in enumerate(HOLD_HEADS):
        sketch.add_annotation(
            x=width * (index + 0.5),
            y=height - HOLD_HEAD / 2,
            text=text,
            font={"color": palette.muted, "size": 11, "family": MONOSPACE},
        )
    for index, held in enumerate(report.every):
        top = height - HOLD_HEAD - HOLD_ROW * index
        _draw_held(sketch, held, top, report, palette, words)
    return go.Figure(sketch.spec())


def _draw_held(
    sketch: Sketch,
    held: Held,
    top: float,
    report: HoldTensorReport,
    palette: Palette,
    words: Words,
) -> None:
    is_chosen = held.holding is report.holding
    label = words[f"held_{held.holding}"]
    sketch.add_annotation(
        x=0.01,
        y=top - 9,
        xanchor="left",
        text=f"<b>{label}</b>" if is_chosen else label,
        font={"color": palette.ink, "size": 12},
    )
    does = (
        held.in_parameters,
        held.in_state_dict,
        held.device == report.device,
        held.has_gradient,
        held.is_trained,
    )
    width = 1 / len(does)
    for index, is_so in enumerate(does):
        colour = palette.success if is_so else palette.trouble
        _draw_cell(
            sketch,
            (width * index + 0.01, top - 44, width - 0.02, 25),
            name=f"{held.holding} {index}",
            text="<b>✓</b>" if is_so else "<b>✗</b>",
            fill=tinted(colour, 0.12),
            edge=palette.ink if is_chosen else tinted(colour, 0.35),
            ink=colour,
            told=label,
        )


def _draw_cell(
    sketch: Sketch,
    box: tuple[float, float, float, float],
    *,
    name: str,
    text: str,
    fill: str | None,
    edge: str,
    ink: str,
    told: str,
    is_dotted: bool = False,
) -> None:
    """A cell with a little room around it."""
    left, bottom, width, height = box
    draw_cell(
        sketch,
        (left + 0.004, bottom + 1, width - 0.008, height - 2),
        name=name,
        text=text,
        told=told,
        fill=fill,
        edge=edge,
        ink=ink,
        is_dotted=is_dotted,
    )
