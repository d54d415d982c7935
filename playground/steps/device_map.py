"""The device map: a picture with a box per device, its tensors, and an operation on them."""

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unicodedata import east_asian_width

from playground.machines.machine import DeviceName, Machine, device_names, devices_of
from playground.steps.answer import Picture

WIDTH = 360
BOX_HEIGHT = 92
GAP = 10
TILE = 32
MIN_MARGIN = 4  # between a tile and the edge of its box
HEADER = 26  # a line for the device's name at the top of its box
MAX_PER_ROW = 3
PYTHON = "python"  # the place of values without a device
FOOTER_LINE = 22
MAX_VALUES = 16  # elements; the values of a longer tensor are not described


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A tensor, or a Python value, and its place.

    Attributes:
        label: Its name in the program.
        place: A device, or ``PYTHON``.
        detail: Shape, dtype and values, shown on hover.
        caption: A few characters below it, such as its dtype.
        text: The text in it, instead of its label.
        is_ghost: It has no name in the program.
    """

    label: str
    place: str
    detail: str = ""
    caption: str = ""
    text: str = ""
    is_ghost: bool = False

    @property
    def shown(self) -> str:
        return self.text or self.label


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceMap:
    """Plain data of the picture.

    Attributes:
        copies: Pairs of labels, the second a copy of the first, with the bytes that moved.
        operation: The operation as in the program; empty if there is none.
        inputs: The labels of its inputs.
        output: The label of the result; empty if there is none.
        works: None before the answer.
        has_python: Show the place of values without a device, even if it is empty.
    """

    devices: tuple[DeviceName, ...]
    is_simulated: bool
    items: tuple[Item, ...] = ()
    copies: tuple[tuple[str, str, str], ...] = ()
    operation: str = ""
    inputs: tuple[str, ...] = ()
    output: str = ""
    works: bool | None = None
    has_python: bool = False

    def worded(self, texts: Mapping[str, str]) -> "DeviceMap":
        """Return the map with some labels replaced by words of the visitor's language."""
        items = tuple(replace(each, text=texts.get(each.label, each.text)) for each in self.items)
        return replace(self, items=items)

    @property
    def described(self) -> str:
        """The places that are not empty with their labels, for a text.

        >>> x = Item(label="x", place="cpu")
        >>> DeviceMap(devices=("cpu", "cuda:0"), is_simulated=True, items=(x,)).described
        'cpu: x'
        """
        places = {each.place: "" for each in self.items}
        for place in places:
            places[place] = ", ".join(i.shown for i in self.items if i.place == place)
        return "; ".join(f"{place}: {labels}" for place, labels in places.items()) or "—"


def devices_shown(machine: Machine, count: int | None = None) -> tuple[DeviceName, ...]:
    """Return the devices of a machine; of a real one those that torch has counted.

    Without a count, the CPU is shown, and every place that is not empty.
    """
    if machine.is_simulated:
        return devices_of(machine)
    return device_names(count or 0)


def item(label: str, value: Any, *, caption: str = "", is_ghost: bool = False) -> Item:
    """Describe a live tensor, or a Python value; called in the worker."""
    if not hasattr(value, "device"):
        return Item(label=label, place=PYTHON, detail=f"{type(value).__name__} {value!r}"[:80])
    dtype = str(value.dtype).removeprefix("torch.")
    values = f" {value.tolist()}" if value.numel() <= MAX_VALUES else ""
    detail = f"{tuple(value.shape)} {dtype}{values}"
    place = str(value.device)
    return Item(label=label, place=place, detail=detail, caption=caption, is_ghost=is_ghost)


def draw(device_map: DeviceMap, footer: Sequence[str] = ()) -> Picture:
    """Draw the map as SVG; positions depend only on places and labels, so changes can be animated.

    Args:
        device_map: The data of the picture.
        footer: SVG of lines below it, each ``FOOTER_LINE`` high, relative to its top left corner.
    """
    boxes = _boxes(device_map)
    tiles = _tiles(device_map, boxes)
    bottom = max(y + BOX_HEIGHT for _, y, _ in boxes.values())
    node = (WIDTH / 2, bottom + 46)
    height = bottom + (92 if device_map.operation else 8)
    lines = [
        f'<g transform="translate(0 {height + index * FOOTER_LINE:g})">{line}</g>'
        for index, line in enumerate(footer)
    ]
    height += FOOTER_LINE * len(lines)
    parts = [_box(place, boxes[place], device_map) for place in boxes]
    if device_map.operation:
        parts += _edges(device_map, tiles, node)
    parts += [_copy(pair, tiles) for pair in device_map.copies if {*pair[:2]} <= {*tiles}]
    parts += [_tile(each, tiles[each.label]) for each in device_map.items]
    if device_map.operation:
        parts.append(_node(device_map, node))
    parts += lines
    svg = f'<svg viewBox="0 0 {WIDTH} {height:g}">{"".join(parts)}</svg>'
    values = {"places": device_map.described, "operation": device_map.operation or "—"}
    return Picture(svg, values)


Box = tuple[float, float, float]  # left, top, width
Point = tuple[float, float]


def _boxes(device_map: DeviceMap) -> Mapping[str, Box]:
    places: list[str] = list(device_map.devices)
    others = {each.place for each in device_map.items}
    places += sorted((others | {PYTHON} if device_map.has_python else others) - {*places})
    fits_one_row = len(places) <= MAX_PER_ROW + (PYTHON in places)
    columns = len(places) if fits_one_row else MAX_PER_ROW
    rows = [places[i : i + columns] for i in range(0, len(places), columns)]
    width = (WIDTH - GAP * (columns - 1)) / columns
    return {
        place: (column * (width + GAP), 2 + row * (BOX_HEIGHT + GAP), width)
        for row, names in enumerate(rows)
        for column, place in enumerate(names)
    }


def _tiles(device_map: DeviceMap, boxes: Mapping[str, Box]) -> Mapping[str, Point]:
    tiles = {}
    for place, (left, top, width) in boxes.items():
        here = [each for each in device_map.items if each.place == place]
        rest = width - sum(map(_tile_width, here))
        margin = max(rest / (len(here) + 1), MIN_MARGIN)
        gap = (rest - 2 * margin) / max(1, len(here) - 1)
        x = left + margin
        for each in here:
            tiles[each.label] = (x + _tile_width(each) / 2, top + (HEADER + BOX_HEIGHT) / 2 - 3)
            x += _tile_width(each) + gap
    return tiles


def colours(place: str) -> tuple[str, str, str]:
    """Return the CSS variables of a place: fill, text on the fill, text on paper."""
    if place == PYTHON:
        return "var(--tp-muted)", "var(--tp-paper)", "var(--tp-muted)"
    name = f"--tp-{place.replace(':', '-')}"
    return f"var({name})", f"var({name}-on)", f"var({name}-text)"


def _box(place: str, box: Box, device_map: DeviceMap) -> str:
    left, top, width = box
    fill, _, text = colours(place)
    is_dotted = place == PYTHON or (place != "cpu" and device_map.is_simulated)
    dash = ' stroke-dasharray="2 4"' if is_dotted else ""
    name = "Python" if place == PYTHON else place
    return (
        f'<g data-id="box-{place}"><rect x="{left:g}" y="{top:g}" width="{width:g}"'
        f' height="{BOX_HEIGHT}" rx="10" style="fill:color-mix(in srgb,{fill} 9%,transparent);'
        f'stroke:{fill}" stroke-width="1.8" stroke-linecap="round"{dash}/>'
        f'<text x="{left + 10:g}" y="{top + 18:g}" style="fill:{text}" font-size="14"'
        f' font-weight="650">{html.escape(name)}</text></g>'
    )


def _tile(each: Item, centre: Point) -> str:
    x, y = centre
    fill, on_fill, text = colours(each.place)
    width = _tile_width(each)
    solid = f"fill:color-mix(in srgb,{fill} 20%,transparent);stroke:{fill}"
    style = solid if each.is_ghost else f"fill:{fill};stroke:{text}"
    dash = ' stroke-dasharray="3 3"' if each.is_ghost else ""
    ink = text if each.is_ghost else on_fill
    caption = each.caption and (
        f'<text y="{TILE / 2 + 13:g}" text-anchor="middle" font-size="12" style="fill:{text}">'
        f"{html.escape(each.caption)}</text>"
    )
    return (
        f'<g data-id="item-{html.escape(each.label)}" transform="translate({x:g} {y:g})">'
        f"<title>{html.escape(f'{each.shown}: {each.detail} {each.place}')}</title>"
        f'<rect x="{-width / 2:g}" y="{-TILE / 2:g}" width="{width:g}" height="{TILE}" rx="7"'
        f' style="{style}"{dash}/><text y="5" text-anchor="middle" font-size="15"'
        f' font-weight="650" style="fill:{ink}">{html.escape(each.shown)}</text>{caption}</g>'
    )


def _tile_width(each: Item) -> int:
    return max(TILE, 9 * len(each.shown) + 14 + 4 * _wide(each.shown))


def _wide(text: str) -> int:
    """Count the full-width characters."""
    return sum(east_asian_width(each) in "WF" for each in text)


def _edges(device_map: DeviceMap, tiles: Mapping[str, Point], node: Point) -> Iterable[str]:
    style = {None: "var(--tp-muted)", True: "var(--tp-success)", False: "var(--tp-trouble)"}
    colour = style[device_map.works]
    dash = ' stroke-dasharray="2 5"' if device_map.works is None else ""
    for label in (*device_map.inputs, device_map.output):
        if label not in tiles:
            continue
        (x, y), (to_x, to_y) = tiles[label], node
        is_output = label == device_map.output
        out = ' stroke-dasharray="6 5"' if is_output else dash
        path = _curve((x, y + TILE / 2), (x, to_y - 8), (to_x, y + 48), (to_x, to_y - 18))
        yield (
            f'<path data-id="way-{html.escape(label)}" d="{path}" fill="none"'
            f' style="stroke:{colour}" stroke-width="2" stroke-linecap="round"{out}/>'
        )


def _copy(pair: tuple[str, str, str], tiles: Mapping[str, Point]) -> str:
    (x, y), (to_x, to_y) = tiles[pair[0]], tiles[pair[1]]
    lift = min(y, to_y) - TILE
    path = _curve((x, y - TILE / 2), (x, lift), (to_x, lift), (to_x, to_y - TILE / 2 - 4))
    middle = 0.65 * x + 0.35 * to_x  # nearer to the source, so that two labels do not overlap
    return (
        f'<g data-id="copy-{html.escape(pair[1])}"><path d="{path}" fill="none"'
        f' style="stroke:var(--tp-muted)" stroke-width="1.6" stroke-dasharray="5 4"/>'
        f'<path d="M{to_x - 4:g} {to_y - TILE / 2 - 8:g} l4 7 l4 -7" fill="none"'
        f' style="stroke:var(--tp-muted)" stroke-width="1.6"/><text x="{middle:g}"'
        f' y="{lift + 8:g}" text-anchor="middle" font-size="12" paint-order="stroke"'
        f' style="fill:var(--tp-ink);stroke:var(--tp-paper)" stroke-width="4"'
        f' stroke-linejoin="round">{html.escape(pair[2])}</text></g>'
    )


def _curve(start: Point, first: Point, second: Point, end: Point) -> str:
    points = " ".join(f"{x:g} {y:g}" for x, y in (first, second, end))
    return f"M{start[0]:g} {start[1]:g} C{points}"


def _node(device_map: DeviceMap, node: Point) -> str:
    x, y = node
    sign = {None: "?", True: "✓", False: "✗"}[device_map.works]
    fill = {None: "var(--tp-paper)", True: "var(--tp-success)", False: "var(--tp-trouble)"}
    ink = "var(--tp-muted)" if device_map.works is None else "var(--tp-paper)"
    stroke = "var(--tp-muted)" if device_map.works is None else fill[device_map.works]
    dash = ' stroke-dasharray="3 3"' if device_map.works is None else ""
    return (
        f'<g data-id="node"><circle cx="{x:g}" cy="{y:g}" r="18"'
        f' style="fill:{fill[device_map.works]};stroke:{stroke}" stroke-width="1.6"{dash}/>'
        f'<text x="{x:g}" y="{y + 6:g}" text-anchor="middle" font-size="17" font-weight="700"'
        f' style="fill:{ink}">{sign}</text><text x="{x:g}" y="{y + 38:g}" text-anchor="middle"'
        f' font-size="14" font-family="var(--st-code-font, monospace)"'
        f' style="fill:var(--tp-ink)">{html.escape(device_map.operation)}</text></g>'
    )
