"""The device map: devices are places, tensors are things in them, an operation joins lines."""

import math

import plotly.graph_objects as go

from playground.lessons.tensors.figures.canvas import NARROWEST, canvas
from playground.lessons.tensors.figures.places import Box, Layout, Point, lay_out
from playground.lessons.tensors.records import HasScene, Meeting, Resident, Scene
from playground.machines.machine import DeviceName
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch, tinted

WASH = 0.08  # of the device's colour inside its box
RADIUS = 8
FIRST_PATTERNED = 4  # colours repeat from this GPU on


@drawn_once
def device_map(report: HasScene, palette: Palette, words: Words) -> go.Figure:
    """Draw every device, the tensors in it, and the operation in which they meet.

    Args:
        report: Anything with a scene.
        palette: The colours of the theme.
        words: Needs ``shape``, ``dtype``, ``size_bytes`` and ``values``.
    """
    scene = report.scene
    layout = lay_out(scene)
    sketch = canvas(palette, layout.height)
    for device in scene.devices:
        _draw_place(sketch, device, layout.boxes[device], scene.is_simulated, palette)
    if scene.meeting is not None:
        _draw_ways(sketch, scene, scene.meeting, layout, palette)
    for resident in scene.residents:
        _draw_tensor(sketch, resident, layout, palette, words)
    if scene.meeting is not None and layout.node is not None:
        _draw_node(sketch, scene.meeting, layout.node, palette)
    return go.Figure(sketch.spec())


def _draw_place(
    sketch: Sketch, device: DeviceName, box: Box, is_simulated: bool, palette: Palette
) -> None:
    colour = palette.device(device)
    is_gpu = device != "cpu"
    outline = _rounded(box)
    wash = tinted(colour.fill, WASH)
    is_patterned = is_gpu and int(device.partition(":")[2]) >= FIRST_PATTERNED
    pattern = {
        "shape": "/",
        "size": 9,
        "solidity": 0.12,
        "fgcolor": colour.fill,
        "bgcolor": wash,
        "fillmode": "overlay",
    }
    sketch.add_scatter(
        x=[x for x, _ in outline],
        y=[y for _, y in outline],
        name=device,
        mode="lines",
        fill="toself",
        fillcolor=wash,
        fillpattern=pattern if is_patterned else None,
        line={
            "color": colour.fill,
            "width": 1.8,
            "dash": "dot" if is_gpu and is_simulated else "solid",
            "simplify": False,
        },
        hoverinfo="skip",
    )
    sketch.add_annotation(
        x=box.left,
        y=box.top,
        xanchor="left",
        yanchor="top",
        xshift=6,
        yshift=-4,
        text=f"<b>{device}</b>",
        font={"color": colour.text, "size": 12},
        bgcolor=palette.paper if is_patterned else None,  # no pattern may run through the name
    )


def _rounded(box: Box) -> list[Point]:
    """The outline of a box with round corners, as a closed line."""
    across, up = RADIUS / NARROWEST, RADIUS
    centres = (
        (box.right - across, box.top - up, 0),
        (box.left + across, box.top - up, 1),
        (box.left + across, box.bottom + up, 2),
        (box.right - across, box.bottom + up, 3),
    )
    points = []
    for x, y, quarter in centres:
        for step in range(5):
            angle = (quarter + step / 4) * math.pi / 2
            points.append((x + across * math.cos(angle), y + up * math.sin(angle)))
    return [*points, points[0]]


def _draw_ways(
    sketch: Sketch, scene: Scene, meeting: Meeting, layout: Layout, palette: Palette
) -> None:
    colour = palette.success if meeting.works else palette.trouble
    for lane, label in enumerate((*meeting.inputs, meeting.output)):
        resident = scene.resident(label)
        if resident is None:
            continue
        points = layout.way(resident, lane)
        is_output = label == meeting.output
        ends = (meeting.formula, label) if is_output else (label, meeting.formula)
        sketch.add_scatter(
            x=[x for x, _ in points],
            y=[y for _, y in points],
            name=" → ".join(ends),
            mode="lines",
            line={"color": colour, "width": 2, "dash": "dash" if is_output else "solid"},
            hoverinfo="skip",
        )
        if is_output:
            _draw_arrowhead(sketch, points[0], colour)


def _draw_arrowhead(sketch: Sketch, tip: Point, colour: str) -> None:
    sketch.add_scatter(
        x=[tip[0]],
        y=[tip[1] - 4],
        name="→",
        mode="markers",
        marker={"symbol": "triangle-up", "size": 9, "color": colour, "opacity": 1},
        hoverinfo="skip",
    )


def _draw_tensor(
    sketch: Sketch, resident: Resident, layout: Layout, palette: Palette, words: Words
) -> None:
    colour = palette.device(resident.device)
    centre = layout.tiles[resident.label]
    is_long = len(resident.label) > 2  # two names, or a word
    told = (
        f"<b>{resident.label}</b>  {resident.device}",
        f"{words['shape']}: {resident.shape}",
        f"{words['dtype']}: {resident.dtype}",
        f"{words['size_bytes']}: {resident.size_bytes}",
        f"{words['values']}: {resident.values}",
    )
    sketch.add_scatter(
        x=[centre[0]],
        y=[centre[1]],
        name=f"{resident.label} @ {resident.device}",
        mode="markers+text",
        marker={
            "symbol": "square",
            "size": layout.tile_size(resident.device) + (10 if is_long else 0),
            "color": colour.fill,
            "line": {"color": colour.text, "width": 1},
            "opacity": 1,
        },
        text=[f"<b>{resident.label}</b>"],
        textposition="middle center",
        textfont={"color": colour.on_fill, "size": 11 if is_long else 14},
        hovertemplate="<br>".join(told) + "<extra></extra>",
    )


def _draw_node(sketch: Sketch, meeting: Meeting, node: Point, palette: Palette) -> None:
    sketch.add_scatter(
        x=[node[0]],
        y=[node[1]],
        name=meeting.formula,
        mode="markers+text",
        marker={
            "symbol": "circle",
            "size": 34,
            "color": palette.success if meeting.works else palette.trouble,
            "opacity": 1,
        },
        text=["<b>✓</b>" if meeting.works else "<b>✗</b>"],
        textposition="middle center",
        textfont={"color": palette.paper, "size": 17},
        hoverinfo="skip",
    )
    sketch.add_annotation(
        x=node[0],
        y=node[1] - 20,
        yanchor="top",
        text=meeting.formula,
        font={"color": palette.ink, "family": MONOSPACE, "size": 12},
    )
