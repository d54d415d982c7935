"""Tables of marks: what every action leaves of every tie, and how far every step goes."""

import plotly.graph_objects as go

from playground.lessons.tied_parameters.figures.shapes import write
from playground.lessons.tied_parameters.records import (
    Action,
    Handed,
    Replayed,
    StepTiedReport,
    Tie,
    TiedBy,
    TieReplayReport,
)
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch, tinted
from playground.sketch.canvas import canvas, draw_box

HEAD, CAPTION, CELL, GAP = 26, 19, 24, 8
SIGNS = {Tie.ONE_OBJECT: "●", Tie.ONE_STORAGE: "◐", Tie.APART: "○ ○"}
SHORT = {
    Handed.PARAMETERS: "net.parameters()",
    Handed.EVERY_NAME: "named_parameters(remove_duplicate=False)",
    Handed.TWO_GROUPS: "[net[0] …, net[2] …]",
}


@drawn_once
def replay(report: TieReplayReport, palette: Palette, words: Words) -> go.Figure:
    """Draw a row for each action and a column for each way to tie; the chosen cell is framed.

    Args:
        report: All actions, done.
        palette: The colours of the theme.
        words: Needs ``by_…`` for the ways, ``did_…`` for the actions, ``tie_…`` for the ties.
    """
    block = CAPTION + CELL + GAP
    height = HEAD + block * len(Action)
    sketch = canvas(palette, height)
    width = 1 / len(TiedBy)
    for column, tied_by in enumerate(TiedBy):
        x = (column + 0.5) * width
        write(sketch, x, height - HEAD / 2, words[f"by_{tied_by}"], palette.muted, size=11)
    for index, action in enumerate(Action):
        top = height - HEAD - block * index
        is_chosen = action is report.action
        label = words[f"did_{action}"].format(device=report.device)
        text = f"<b>{label}</b>" if is_chosen else label
        colour = palette.ink if is_chosen else palette.muted
        write(sketch, 0.004, top - CAPTION / 2, text, colour, size=11, xanchor="left")
        for column, tied_by in enumerate(TiedBy):
            found = report.at(action, tied_by)
            box = (column * width + 0.006, top - CAPTION - CELL, width - 0.012, float(CELL))
            is_framed = found is report.chosen
            _draw_replayed(sketch, found, box, palette, words, is_framed=is_framed)
    return go.Figure(sketch.spec())


def _draw_replayed(
    sketch: Sketch,
    found: Replayed,
    box: tuple[float, float, float, float],
    palette: Palette,
    words: Words,
    *,
    is_framed: bool,
) -> None:
    is_known = found.still_tied is not None
    colour = palette.success if found.still_tied else palette.trouble
    colour = colour if is_known else palette.muted
    mark = ("✓" if found.still_tied else "✗") if is_known else "—"
    draw_box(
        sketch,
        box,
        fill=tinted(colour, 0.12),
        edge=palette.ink if is_framed else tinted(colour, 0.35),
        width=2.2 if is_framed else 1.2,
    )
    told = words[f"tie_{found.after}"] if is_known else found.outcome.error_type
    sketch.add_scatter(
        x=[box[0] + box[2] / 2],
        y=[box[1] + box[3] / 2],
        name=f"{found.action} {found.tied_by}",
        mode="text",
        text=[f"<b>{mark}</b> {SIGNS[found.after] if is_known else ''}"],
        textfont={"color": colour, "size": 12},
        hovertext=[told],
        hovertemplate="%{hovertext}<extra></extra>",
    )


@drawn_once
def steps(report: StepTiedReport, palette: Palette, words: Words) -> go.Figure:
    """Draw how far one ``step()`` moves the weight, in single steps, for each way of handing over.

    Args:
        report: All ways, stepped.
        palette: The colours of the theme.
        words: Needs ``refused``, and ``single_steps`` with their number.
    """
    block = CAPTION + CELL + GAP
    height = block * len(report.every) + 4
    sketch = canvas(palette, height)
    unit = 0.32
    for index, each in enumerate(report.every):
        top = height - block * index
        is_chosen = each is report.chosen
        text = f"<b>{SHORT[each.handed]}</b>" if is_chosen else SHORT[each.handed]
        colour = palette.ink if is_chosen else palette.muted
        write(
            sketch,
            0.004,
            top - CAPTION / 2,
            text,
            colour,
            size=11,
            xanchor="left",
        )
        times = each.times
        bar = palette.success if times is not None and times < 1.5 else palette.trouble
        for number in range(round(times or 0)):
            box = (0.006 + number * unit, top - CAPTION - CELL, unit - 0.008, float(CELL))
            edge = palette.ink if is_chosen else tinted(bar, 0.5)
            draw_box(sketch, box, fill=tinted(bar, 0.18), edge=edge)
        told = f"✗ {each.outcome.error_type}"
        if times is not None:
            told = words["single_steps"].format(times=f"{times:.2g}")
        sketch.add_scatter(
            x=[0.02 + unit * round(times or 0)],
            y=[top - CAPTION - CELL / 2],
            name=each.handed,
            mode="text",
            text=[f"<b>{told}</b>"],
            textposition="middle right",
            textfont={"color": bar, "size": 12, "family": MONOSPACE},
            hovertext=[each.warning or each.outcome.message or told],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    return go.Figure(sketch.spec())
