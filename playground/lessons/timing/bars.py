"""Picture of measured amounts as bars with one scale, one below the other."""

import html
from collections.abc import Sequence
from typing import Any, NamedTuple

from playground.steps import Picture

WIDTH, ROW = 440, 46
CODE = "var(--st-code-font, monospace)"


class Bar(NamedTuple):
    """One amount: its name, its size, and its text."""

    name: str
    amount: float
    written: str
    is_gpu: bool = False


def draw(data: Sequence[Sequence[Any]]) -> Picture:
    """Draw bars from tuples or recorded lists; the longest has the whole width."""
    bars = [Bar(*each) for each in data]
    largest = max(each.amount for each in bars)
    parts = []
    for index, each in enumerate(bars):
        y = index * ROW
        colour = "var(--tp-cuda-0)" if each.is_gpu else "var(--tp-cpu)"
        width = max(WIDTH * each.amount / largest, 2.0)
        parts.append(
            f'<text x="0" y="{y + 16}" font-size="16" font-family="{CODE}"'
            f' style="fill:var(--tp-ink)">{html.escape(each.name)}</text>'
            f'<text x="{WIDTH}" y="{y + 16}" font-size="16" text-anchor="end"'
            f' style="fill:var(--tp-ink)">{html.escape(each.written)}</text>'
            f'<rect data-id="bar-{index}" x="0" y="{y + 23}" width="{width:.1f}" height="12"'
            f' rx="3" style="fill:{colour}"/>'
        )
    svg = f'<svg viewBox="0 0 {WIDTH} {len(bars) * ROW}">{"".join(parts)}</svg>'
    return Picture(svg, {"bars": "; ".join(f"{each.name}: {each.written}" for each in bars)})
