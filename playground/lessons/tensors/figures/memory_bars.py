"""The memory of every device: what the tensors take, what is free, what found no room."""

import plotly.graph_objects as go

from playground.lessons.tensors.figures.canvas import canvas
from playground.lessons.tensors.records import DeviceMemory, HasMemory
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.units import format_bytes

ROW = 46
BAR = 16
EDGE = 6


@drawn_once
def memory_bars(report: HasMemory, palette: Palette, words: Words) -> go.Figure:
    """Draw one bar for each device, all on one scale of bytes.

    Args:
        report: Anything with the memory of all devices.
        palette: The colours of the theme.
        words: Needs ``used``, ``kept``, ``other_programs``, ``free`` and ``refused``.
    """
    height = ROW * len(report.memory) + EDGE
    widest = max(_extent(report, each) for each in report.memory) or 1
    sketch = canvas(palette, height, widest=widest * 1.01)
    for index, memory in enumerate(report.memory):
        middle = height - EDGE - index * ROW - 30
        _draw_name(sketch, memory, middle, palette, words)
        _draw_capacity(sketch, memory, middle, palette)
        _draw_used(sketch, report, memory, middle, palette, words)
        if memory.device == report.device and report.refused_bytes:
            _draw_refused(sketch, report, memory, middle, palette, words)
    return go.Figure(sketch.spec())


def _extent(report: HasMemory, memory: DeviceMemory) -> int:
    refused = report.refused_bytes if memory.device == report.device else 0
    taken = _taken(memory) + refused
    return max(taken, memory.total_bytes or 0)


def _taken(memory: DeviceMemory) -> int:
    return memory.used_bytes + memory.kept_bytes + memory.other_bytes


def _draw_name(
    sketch: Sketch, memory: DeviceMemory, middle: float, palette: Palette, words: Words
) -> None:
    told = [f"{words['used']} {format_bytes(memory.used_bytes)}"]
    if memory.free_bytes is not None:
        told.append(f"{words['free']} {format_bytes(memory.free_bytes)}")
    sides = (
        (0, "left", f"<b>{memory.device}</b>", palette.device(memory.device).text),
        (1, "right", " · ".join(told), palette.muted),
    )
    for x, anchor, text, colour in sides:
        sketch.add_annotation(
            xref="paper",
            x=x,
            y=middle + BAR / 2 + 1,
            xanchor=anchor,
            yanchor="bottom",
            text=text,
            font={"color": colour, "size": 12},
        )


def _draw_capacity(sketch: Sketch, memory: DeviceMemory, middle: float, palette: Palette) -> None:
    if memory.total_bytes is None:
        return
    sketch.add_shape(
        type="rect",
        name=memory.device,
        x0=0,
        x1=memory.total_bytes,
        y0=middle - BAR / 2,
        y1=middle + BAR / 2,
        line={
            "color": palette.device(memory.device).fill,
            "width": 1.8,
            "dash": "dot" if memory.is_simulated else "solid",
        },
        fillcolor=tinted(palette.device(memory.device).fill, 0.08),
        layer="below",
    )


def _draw_used(
    sketch: Sketch,
    report: HasMemory,
    memory: DeviceMemory,
    middle: float,
    palette: Palette,
    words: Words,
) -> None:
    """One segment for each tensor, then what PyTorch keeps, then what others take."""
    fill = palette.device(memory.device).fill
    unit = report.unit_bytes or memory.used_bytes
    count = max(1, round(memory.used_bytes / unit)) if memory.used_bytes else 0
    for index in range(count):
        size = memory.used_bytes / count
        _add_bar(
            sketch,
            f"used {memory.device}",
            (index * size, size),
            middle,
            {"color": fill, "line": {"color": palette.paper if count > 1 else fill, "width": 1}},
            f"{words['used']}: {format_bytes(round(size))}",
        )
    rest = (
        ("kept", memory.kept_bytes, tinted(fill, 0.45), words["kept"]),
        ("other", memory.other_bytes, palette.muted, words["other_programs"]),
    )
    begin = memory.used_bytes
    for name, size_bytes, colour, told in rest:
        if size_bytes:
            _add_bar(
                sketch,
                f"{name} {memory.device}",
                (begin, size_bytes),
                middle,
                {"color": colour, "line": {"color": palette.line, "width": 0.5}},
                f"{told}: {format_bytes(size_bytes)}",
            )
        begin += size_bytes


def _draw_refused(
    sketch: Sketch,
    report: HasMemory,
    memory: DeviceMemory,
    middle: float,
    palette: Palette,
    words: Words,
) -> None:
    _add_bar(
        sketch,
        f"refused {memory.device}",
        (_taken(memory), report.refused_bytes),
        middle,
        {
            "color": tinted(palette.trouble, 0.15),
            "line": {"color": palette.trouble, "width": 2},
            "pattern": {
                "shape": "x",
                "fgcolor": palette.trouble,
                "size": 7,
                "solidity": 0.2,
                "fillmode": "overlay",
            },
        },
        f"{words['refused']}: {format_bytes(report.refused_bytes)}",
    )


def _add_bar(
    sketch: Sketch,
    name: str,
    span: tuple[float, float],
    middle: float,
    marker: dict[str, object],
    told: str,
) -> None:
    sketch.add_bar(
        orientation="h",
        name=name,
        base=[span[0]],
        x=[span[1]],
        y=[middle],
        width=[BAR],
        marker=marker,
        hovertemplate=told + "<extra></extra>",
    )
