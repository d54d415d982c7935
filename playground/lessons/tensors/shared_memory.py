"""Picture of names and the memory that they refer to: one or two strips of values."""

import html
from dataclasses import dataclass

from playground.steps import Picture, device_map

STRIP_LEFT, CELL, CELL_HEIGHT = 132, 84, 34
ROW = 92
TAG_WIDTH = 36


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A piece of memory.

    Attributes:
        place: The device of the memory.
        values: The stored values, as text.
        changed: Indices of the values that the edit changed.
        names: The names that refer to it.
    """

    place: str
    values: tuple[str, ...]
    changed: tuple[int, ...] = ()
    names: tuple[str, ...]


def draw(strips: tuple[Strip, ...], unknown: str = "") -> Picture:
    """Draw one row for each strip, with its names in front.

    Args:
        strips: From top to bottom.
        unknown: A name whose memory is not known yet, or that was never bound.
    """
    rows = len(strips) + bool(unknown)
    parts = [_strip(each, index) for index, each in enumerate(strips)]
    if unknown:
        parts.append(_tag(unknown, ROW * len(strips) + 52, "var(--tp-muted)", is_bound=False))
    svg = f'<svg viewBox="0 0 440 {ROW * rows + 6}">{"".join(parts)}</svg>'
    described = "; ".join(
        f"{' = '.join(each.names) or '—'}: {' '.join(each.values)} ({each.place})"
        for each in strips
    )
    return Picture(svg, {"memory": described or "—"})


def _strip(strip: Strip, index: int) -> str:
    top = 2 + ROW * index
    fill, _, text = device_map.colours(strip.place)
    width = CELL * len(strip.values) + 32
    box = (
        f'<g data-id="memory-{index}"><rect x="{STRIP_LEFT - 16}" y="{top}" width="{width}"'
        f' height="{ROW - 12}" rx="10" style="fill:color-mix(in srgb,{fill} 9%,transparent);'
        f'stroke:{fill}" stroke-width="1.8"/><text x="{STRIP_LEFT - 6}" y="{top + 18}"'
        f' font-size="13" font-weight="650" style="fill:{text}">{strip.place}</text></g>'
    )
    order = sorted(range(len(strip.values)), key=lambda position: position in strip.changed)
    cells = "".join(_cell(strip, index, position, top + 30) for position in order)
    spread = 17 if len(strip.names) > 1 else 0
    middle = top + 47
    tags = "".join(
        _tag(name, middle + spread * (2 * number - 1), fill, target=middle)
        for number, name in enumerate(strip.names)
    )
    return box + cells + tags


def _cell(strip: Strip, index: int, position: int, y: float) -> str:
    is_changed = position in strip.changed
    stroke = "var(--tp-accent)" if is_changed else "var(--tp-line)"
    x = STRIP_LEFT + CELL * position
    return (
        f'<g data-id="cell-{index}-{position}"><rect x="{x}" y="{y}" width="{CELL}"'
        f' height="{CELL_HEIGHT}" style="fill:var(--tp-paper);stroke:{stroke}"'
        f' stroke-width="{2.5 if is_changed else 1}"/><text x="{x + CELL / 2:g}" y="{y + 22}"'
        f' text-anchor="middle" font-size="15" style="fill:var(--tp-ink)">'
        f"{html.escape(strip.values[position])}</text></g>"
    )


def _tag(
    name: str, y: float, colour: str, *, target: float | None = None, is_bound: bool = True
) -> str:
    dash = "" if is_bound else ' stroke-dasharray="3 3"'
    arrow = (
        f'<path d="M{TAG_WIDTH + 8} {y:g} C80 {y:g} 84 {target:g} {STRIP_LEFT - 22} {target:g}"'
        f' fill="none" style="stroke:{colour}" stroke-width="2"/>'
        if target is not None
        else ""
    )
    return (
        f'<g data-id="name-{name}">{arrow}<rect x="6" y="{y - 15:g}" width="{TAG_WIDTH}"'
        f' height="30" rx="7" style="fill:var(--tp-paper);stroke:{colour}" stroke-width="1.8"'
        f'{dash}/><text x="{6 + TAG_WIDTH / 2:g}" y="{y + 5:g}" text-anchor="middle"'
        f' font-size="15" font-weight="650" style="fill:var(--tp-ink)">{name}</text></g>'
    )
