"""The lanes: a column for each device, a line for each tensor from where it was to where it is."""

import plotly.graph_objects as go

from playground.lessons.models.records import Explained, Lane
from playground.machines.machine import DeviceName
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch, tinted
from playground.sketch.canvas import NARROWEST, canvas

HEAD = 26
ROW = 38
EDGE = 4
GAP = 0.012
WASH = 0.08
FIRST_PATTERNED = 4  # colours repeat from this GPU on
DOT = 14
CHARACTER = 6.7  # px, of the code font at 11 px
MOST_CHARACTERS = int(NARROWEST / CHARACTER) - 2


@drawn_once
def lanes(report: Explained, palette: Palette, words: Words) -> go.Figure:
    """Draw every device as a column, and where each thing was and is.

    Args:
        report: Anything with lanes.
        palette: The colours of the theme.
        words: Needs ``left_behind``.
    """
    count = len(report.devices)
    height = HEAD + ROW * max(1, len(report.lanes)) + 2 * EDGE
    sketch = canvas(palette, height)
    middles = {}
    for index, device in enumerate(report.devices):
        middles[device] = (index + 0.5) / count
        _draw_device(sketch, device, index / count, 1 / count, height, report, palette)
    for index, lane in enumerate(report.lanes):
        top = height - EDGE - HEAD - ROW * index
        _draw_lane(sketch, lane, top, middles, palette, words)
    return go.Figure(sketch.spec())


def _draw_device(
    sketch: Sketch,
    device: DeviceName,
    left: float,
    width: float,
    height: int,
    report: Explained,
    palette: Palette,
) -> None:
    colour = palette.device(device)
    is_gpu = device != "cpu"
    is_patterned = is_gpu and int(device.partition(":")[2]) >= FIRST_PATTERNED
    xs = [left + GAP, left + width - GAP]
    sketch.add_scatter(
        x=[xs[0], xs[1], xs[1], xs[0], xs[0]],
        y=[EDGE, EDGE, height - EDGE, height - EDGE, EDGE],
        name=device,
        mode="lines",
        fill="toself",
        fillcolor=tinted(colour.fill, WASH),
        fillpattern={
            "shape": "/",
            "size": 9,
            "solidity": 0.12,
            "fgcolor": colour.fill,
            "bgcolor": tinted(colour.fill, WASH),
            "fillmode": "overlay",
        }
        if is_patterned
        else None,
        line={
            "color": colour.fill,
            "width": 1.6,
            "dash": "dot" if is_gpu and report.is_simulated else "solid",
        },
        hoverinfo="skip",
    )
    sketch.add_annotation(
        x=left + width / 2,
        y=height - EDGE - 3,
        yanchor="top",
        text=f"<b>{device if len(report.devices) < 6 else device.removeprefix('cuda')}</b>",
        font={"color": colour.text, "size": 12},
    )


def _draw_lane(
    sketch: Sketch,
    lane: Lane,
    top: float,
    middles: dict[DeviceName, float],
    palette: Palette,
    words: Words,
) -> None:
    y = top - ROW + 12
    places = [place for place in (lane.before, lane.after) if place in middles]
    if len(set(places)) == 2:
        _draw_way(sketch, lane, middles[places[0]], middles[places[1]], y, palette)
    if lane.before in middles and lane.before != lane.after:
        _draw_dot(sketch, lane, str(lane.before), middles, y, palette, is_there=False)
    if lane.after in middles:
        _draw_dot(sketch, lane, str(lane.after), middles, y, palette, is_there=True)
    trouble = f" <b>✗ {words['left_behind']}</b>" if lane.is_trouble else ""
    room = MOST_CHARACTERS - (len(words["left_behind"]) + 3 if lane.is_trouble else 0)
    sketch.add_annotation(
        x=0.02,
        y=top - 1,
        xanchor="left",
        yanchor="top",
        text=_shortened(lane.label, room) + trouble,
        bgcolor=tinted(palette.paper, 0.8),  # no outline may run through a name
        borderpad=0,
        font={
            "color": palette.trouble if lane.is_trouble else palette.ink,
            "family": MONOSPACE,
            "size": 11,
        },
    )


def _shortened(label: str, room: int) -> str:
    """A label that fits, its end kept: that is what tells one tensor from another.

    >>> _shortened("optimizer.state['0.weight']['exp_avg']", 20)
    "…weight']['exp_avg']"
    """
    return label if len(label) <= room else "…" + label[len(label) - room + 1 :]


def _draw_way(
    sketch: Sketch, lane: Lane, start: float, end: float, y: float, palette: Palette
) -> None:
    sketch.add_scatter(
        x=[start, end],
        y=[y, y],
        name=f"{lane.label}: {lane.before} → {lane.after}",
        mode="lines",
        line={"color": palette.trouble if lane.is_trouble else palette.muted, "width": 2},
        hoverinfo="skip",
    )
    back = 9 / NARROWEST * (1 if end > start else -1)
    sketch.add_scatter(
        x=[end - back],
        y=[y],
        name="→",
        mode="markers",
        marker={
            "symbol": "triangle-right" if end > start else "triangle-left",
            "size": 9,
            "color": palette.muted,
            "opacity": 1,
        },
        hoverinfo="skip",
    )


def _draw_dot(
    sketch: Sketch,
    lane: Lane,
    device: DeviceName,
    middles: dict[DeviceName, float],
    y: float,
    palette: Palette,
    is_there: bool,
) -> None:
    colour = palette.device(device)
    edge = palette.trouble if lane.is_trouble and is_there else colour.fill
    sketch.add_scatter(
        x=[middles[device]],
        y=[y],
        name=f"{lane.label} {'@' if is_there else 'was @'} {device}",
        mode="markers",
        marker={
            "symbol": "square" if is_there else "square-open",
            "size": DOT,
            "color": colour.fill,
            "line": {"color": edge, "width": 3 if lane.is_trouble and is_there else 1.5},
            "opacity": 1,
        },
        hovertemplate=f"<b>{lane.label}</b>  {device}<extra></extra>",
    )
