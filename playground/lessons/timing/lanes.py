"""Picture of a schematic timeline: Python and the queues of a GPU, in order but without times."""

import html
from collections.abc import Sequence
from typing import NamedTuple

from playground.steps import Labels, Picture, device_map

ALL_STREAMS = -1  # as in machines.simulated.streams
CALL, STAGING, COPY, COMPUTE, READ = 20, 40, 60, 100, 16  # lengths in the picture; not times
LEFT, WIDTH, LANE, HEIGHT = 10, 440, 62, 26
OPEN_END = 30


class Call(NamedTuple):
    """A call of a program: the plain part of ``QueueCall`` that the picture needs."""

    line: int
    name: str
    stream: int
    is_queued: bool
    is_copy: bool
    is_staged: bool
    waits_for: int | None


class Block(NamedTuple):
    """A piece of a lane.

    Attributes:
        lane: 0 for Python, 1 for the default stream, 2 for the second one.
        kind: ``call``, ``staging``, ``waiting``, ``work``.
        is_certain: It is certainly over when the program reaches its last line.
    """

    lane: int
    kind: str
    text: str
    begin: float
    end: float
    is_certain: bool = True


def certain(calls: Sequence[Call]) -> list[bool]:
    """Return for each call whether Python has waited for it, or for later work of its stream."""
    return [
        not call.is_queued
        or any(
            later.waits_for in (ALL_STREAMS, call.stream)
            for later in calls[index:]
            if later.waits_for is not None
        )
        for index, call in enumerate(calls)
    ]


def blocks(calls: Sequence[Call]) -> tuple[list[Block], float]:
    """Place the calls one after the other; also return the final position of Python."""
    found: list[Block] = []
    now = 0.0
    free: dict[int, float] = {}
    for call, is_certain in zip(calls, certain(calls), strict=True):
        found.append(Block(0, "call", str(call.line), now, now + CALL))
        now += CALL
        if call.is_staged:
            found.append(Block(0, "staging", "", now, now + STAGING))
            now += STAGING
        if call.is_queued:
            length = READ if call.name == "item" else COPY if call.is_copy else COMPUTE
            begin = max(now, free.get(call.stream, 0.0))
            free[call.stream] = begin + length
            found.append(
                Block(call.stream + 1, "work", call.name, begin, begin + length, is_certain)
            )
        if call.waits_for is not None:
            streams = free if call.waits_for == ALL_STREAMS else [call.waits_for]
            until = max((free.get(each, 0.0) for each in streams), default=now)
            if until > now:
                found.append(Block(0, "waiting", "", now, until))
                now = until
    return [_opened(each, now) for each in found], now


def _opened(block: Block, reached: float) -> Block:
    """Extend a block without a wait beyond the line that is reached."""
    if block.is_certain:
        return block
    return block._replace(end=max(block.end, reached + OPEN_END))


def draw(calls: Sequence[Call], asked_line: int, labels: Labels) -> Picture:
    """Draw the lanes one below the other, and the moment when Python reaches the asked line."""
    found, reached = blocks(calls)
    lanes = max((each.lane for each in found), default=1) + 1
    scale = (WIDTH - 2 * LEFT) / max([reached + OPEN_END, *(each.end for each in found)])
    names = ["Python", labels["default_stream"], labels["second_stream"]][:lanes]
    parts = []
    for lane, name in enumerate(names):
        y = lane * LANE
        parts.append(_text(LEFT, y + 16, name, ink=_colours(lane)[2], weight=650))
        parts.append(
            f'<path d="M{LEFT} {y + 22 + HEIGHT} H{WIDTH - LEFT}" style="stroke:var(--tp-line)"/>'
        )
    parts += [_block(index, each, scale) for index, each in enumerate(found)]
    x, bottom = LEFT + reached * scale, lanes * LANE
    side = "end" if x > WIDTH / 2 else "start"
    parts.append(
        f'<path data-id="reached" d="M{x:.1f} 22 V{bottom}" style="stroke:var(--tp-accent)"'
        f' stroke-width="2" stroke-dasharray="5 4"/>'
    )
    where = labels["reached"].replace("{line}", str(asked_line))
    parts.append(_text(x, bottom + 16, where, anchor=side, ink="var(--tp-accent)"))
    parts.append(_text(LEFT, bottom + 38, labels["no_times"], ink="var(--tp-muted)"))
    parts.append(_text(LEFT, bottom + 56, labels["dashed"], ink="var(--tp-muted)"))
    described = "; ".join(
        f"{name}: {', '.join(_said(b, labels) for b in found if b.lane == lane) or '—'}"
        for lane, name in enumerate(names)
    )
    svg = f'<svg viewBox="0 0 {WIDTH} {bottom + 64}">{"".join(parts)}</svg>'
    return Picture(svg, {"lanes": described})


def _said(block: Block, labels: Labels) -> str:
    if block.kind in ("staging", "waiting"):
        return labels[block.kind]
    return block.text + ("" if block.is_certain else " (?)")


def _colours(lane: int) -> tuple[str, str, str]:
    return device_map.colours(device_map.PYTHON if lane == 0 else "cuda:0")


def _block(index: int, block: Block, scale: float) -> str:
    fill, on_fill, ink = _colours(block.lane)
    x, width = LEFT + block.begin * scale, max((block.end - block.begin) * scale, 3)
    y = block.lane * LANE + 22
    style, dash, words = f"fill:{fill};stroke:{fill}", "", block.text
    if block.kind in ("waiting", "staging"):
        tint = 8 if block.kind == "waiting" else 45
        style = f"fill:color-mix(in srgb,{fill} {tint}%,transparent);stroke:{fill}"
        dash = ' stroke-dasharray="2 3"' if block.kind == "waiting" else ""
        on_fill = ink
    elif not block.is_certain:
        style = f"fill:color-mix(in srgb,{fill} 25%,transparent);stroke:{fill}"
        dash, on_fill = ' stroke-dasharray="5 4"', ink
    fits = words and width > 8 * len(words) + 4
    text = _text(x + width / 2, y + 18, words, anchor="middle", ink=on_fill, is_code=True)
    title = html.escape(f"{block.kind} {words}".strip())
    return (
        f'<g data-id="block-{index}"><title>{title}</title><rect x="{x:.1f}" y="{y}"'
        f' width="{width:.1f}" height="{HEIGHT}" rx="4" style="{style}"{dash}/>'
        f"{text if fits else ''}</g>"
    )


def _text(
    x: float,
    y: float,
    words: str,
    *,
    ink: str,
    anchor: str = "start",
    weight: int = 400,
    is_code: bool = False,
) -> str:
    font = ' font-family="var(--st-code-font, monospace)"' if is_code else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="14" text-anchor="{anchor}"'
        f' font-weight="{weight}"{font} style="fill:{ink}">{html.escape(words)}</text>'
    )
