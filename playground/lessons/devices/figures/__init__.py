"""Pictures of the lesson on devices: devices are places, and lines of code put things there."""

import plotly.graph_objects as go

from playground.lessons.devices.figures import drawing
from playground.lessons.devices.figures.drawing import WIDTH, Box
from playground.lessons.devices.records import (
    CompareMemoryFiguresReport,
    Landing,
    ReadGpusReport,
    TryGpuReport,
    UseCurrentDeviceReport,
    UseDefaultDeviceReport,
    VisibleDevicesReport,
)
from playground.machines.machine import DeviceName, device_names
from playground.machines.visible_devices import simulated_uuids
from playground.palette import Palette, Words, drawn_once
from playground.sketch import CLEAR, tinted
from playground.units import format_bytes

LINE = 21.0  # height of one line of code
BAR = 20.0


@drawn_once
def machine(report: ReadGpusReport, palette: Palette, words: Words) -> go.Figure:
    """Every accelerator as a place, with its memory; the chosen one is drawn strongly."""
    boxes = drawing.grid(len(report.accelerators) + 1, row_height=60)
    sketch = drawing.sheet(palette, boxes)
    drawing.place(sketch, palette, boxes[0], "cpu", is_simulated=False)
    for box, gpu in zip(boxes[1:], report.accelerators, strict=True):
        name = gpu.device or words["not-usable"]
        size = "N/A" if gpu.memory_total_bytes is None else format_bytes(gpu.memory_total_bytes)
        drawing.place(
            sketch,
            palette,
            box,
            name,
            is_simulated=report.is_simulated,
            hover=f"{name}<br>{gpu.name or 'N/A'}<br>{size}",
            weight=3 if gpu == report.chosen else 1.5,
        )
        drawing.write(sketch, box.centre, box.y + 18, size, palette.ink, size=12)
    return go.Figure(sketch.spec())


@drawn_once
def request(report: TryGpuReport, palette: Palette, words: Words) -> go.Figure:
    """Every device as a place, the one asked for even if it is not there, and the tensor in one."""
    names = device_names(report.device_count)
    boxes = drawing.grid(len(names) + (report.requested not in names), row_height=76)
    sketch = drawing.sheet(palette, boxes)
    for name, box in zip(names, boxes, strict=False):
        is_simulated = report.is_simulated and name != "cpu"
        drawing.place(sketch, palette, box, name, is_simulated=is_simulated)
        if name == report.device:
            colour = palette.device(name)
            chip = Box(x=box.centre - 5, y=box.y + 10, width=10, height=30)
            drawing.draw(sketch, chip, fill=colour.fill, line=colour.fill, hover=f"Y · {name}")
            drawing.write(sketch, chip.centre, chip.middle, "<b>Y</b>", colour.on_fill, size=14)
    if report.requested not in names:
        ghost, ink = boxes[-1], palette.trouble
        hover = f"{report.requested} · {words['not-there']}"
        drawing.draw(sketch, ghost, fill=CLEAR, line=ink, dash="dash", hover=hover)
        drawing.write(sketch, ghost.centre, ghost.label_y, f"<b>{report.requested}</b>", ink)
        drawing.write(sketch, ghost.centre, ghost.y + 24, words["not-there"], ink, size=12)
    return go.Figure(sketch.spec())


@drawn_once
def visible(report: VisibleDevicesReport, palette: Palette, words: Words) -> go.Figure:
    """Physical GPUs above, the program's ``cuda:i`` below, and which is which."""
    upper = drawing.row(report.physical_gpus, y=128)
    lower = drawing.row(len(report.mapping), y=26)
    sketch = drawing.blank(palette, height=196)
    drawing.write(sketch, 0, 186, words["physical-row"], palette.muted, size=12, anchor="left")
    drawing.write(sketch, 0, 12, words["visible-row"], palette.muted, size=12, anchor="left")
    for physical, place in zip(report.mapping, range(len(lower)), strict=True):
        colour = palette.device(f"cuda:{place}").fill
        drawing.join(sketch, upper[physical], lower[place], colour)
    uuids = simulated_uuids(report.physical_gpus)
    for index, box in enumerate(upper):
        is_hidden = index in report.hidden
        ink = palette.muted if is_hidden else palette.ink
        hover = f"GPU {index}<br>{uuids[index]}" + (f"<br>{words['hidden']}" if is_hidden else "")
        drawing.draw(sketch, box, fill=CLEAR, line=ink, dash="dot", hover=hover)
        text = f"<s>{index}</s>" if is_hidden else f"<b>{index}</b>"
        drawing.write(sketch, box.centre, box.middle, text, ink, size=15)
    for place, (physical, box) in enumerate(zip(report.mapping, lower, strict=True)):
        colours = palette.device(f"cuda:{place}")
        name = f"cuda:{place}"
        pattern = "/" if drawing.is_repeated(name, palette) else ""
        drawing.draw(
            sketch,
            box,
            fill=tinted(colours.fill, drawing.TINT),
            line=colours.fill,
            dash="dot",
            hover=f"{name} = GPU {physical}",
            pattern=pattern,
        )
        text = f"<b>{name if box.width > 15 else place}</b>"  # eight names do not fit on a phone
        drawing.write(sketch, box.centre, box.middle, text, colours.text)
    if not report.mapping:
        drawing.write(sketch, 0, 48, words["nothing-visible"], palette.trouble, anchor="left")
    return go.Figure(sketch.spec())


@drawn_once
def landings(
    report: UseCurrentDeviceReport | UseDefaultDeviceReport, palette: Palette, words: Words
) -> go.Figure:
    """Each device as a band that holds the lines of code whose tensor is there."""
    bands = _bands(report.landings)
    heights = [30 + LINE * len(lines) for _, lines in bands]
    top = sum(heights) + 8 * (len(bands) - 1)
    sketch = drawing.blank(palette, height=top)
    for (name, lines), height in zip(bands, heights, strict=True):
        band = Box(x=0, y=top - height, width=WIDTH, height=height)
        top -= height + 8
        if name is None:
            ink = palette.trouble
            drawing.draw(sketch, band, fill=CLEAR, line=ink, dash="dash")
            drawing.write(sketch, 2, band.label_y, words["refused"], ink, anchor="left")
        else:
            is_simulated = report.is_simulated and name != "cpu"
            drawing.place(sketch, palette, band, name, is_simulated=is_simulated, anchor="left")
        for number, line in enumerate(lines, start=1):
            y = band.label_y - LINE * number
            text = f"<b>▸ {line.code}</b>" if line.is_chosen else line.code
            drawing.write(sketch, 5, y, text, palette.ink, size=12, anchor="left", is_code=True)
    return go.Figure(sketch.spec())


@drawn_once
def memory(report: CompareMemoryFiguresReport, palette: Palette, words: Words) -> go.Figure:
    """Allocated, reserved and used memory at each moment, as bars."""
    colour = palette.device("cuda:0").fill
    block = 24 + 3 * BAR
    sketch = drawing.blank(palette, height=max(block * len(report.figures), 32))
    if not report.figures:
        drawing.write(sketch, 0, 16, words["no-memory"], palette.trouble, anchor="left")
        return go.Figure(sketch.spec())
    most = max(max(each.used_bytes, each.reserved_bytes, 1) for each in report.figures)
    for number, each in enumerate(reversed(report.figures)):
        base = block * number
        moment = words[each.moment]
        drawing.write(sketch, 0, base + 3 * BAR + 10, moment, palette.ink, anchor="left")
        sizes = (each.used_bytes, each.reserved_bytes, each.allocated_bytes)
        kinds = ("used", "reserved", "allocated")
        for line, (kind, size, opacity) in enumerate(zip(kinds, sizes, (0.3, 0.6, 1), strict=True)):
            y = base + line * BAR
            said = format_bytes(size)
            bar = Box(x=34, y=y + 3, width=max(0.4, 38 * size / most), height=13)
            hover = f"{moment}<br>{words[kind]}: {said}"
            fill = tinted(colour, opacity)
            drawing.draw(sketch, bar, fill=fill, line=colour, hover=hover, weight=1)
            write = drawing.write
            write(sketch, 2, y + 9, words[kind], palette.muted, size=12, anchor="left")
            write(sketch, bar.x + bar.width + 1.5, y + 9, said, palette.ink, size=12, anchor="left")
    return go.Figure(sketch.spec())


def _bands(landings: tuple[Landing, ...]) -> list[tuple[DeviceName | None, list[Landing]]]:
    """Group lines by device, the CPU first and what was refused last."""
    names = sorted({each.device for each in landings if each.device}, key=_order)
    places: list[DeviceName | None] = [*names]
    if any(each.device is None for each in landings):
        places.append(None)
    return [(name, [each for each in landings if each.device == name]) for name in places]


def _order(name: DeviceName) -> tuple[bool, str]:
    return name != "cpu", name
