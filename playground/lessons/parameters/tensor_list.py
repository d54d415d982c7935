"""Picture of several steps: the tensors of a network, one in a row, each with its state."""

import html
from collections.abc import Iterable
from dataclasses import dataclass

from playground.steps import Picture

WIDTH, LINE, INDENT = 440, 27, 22
INKS = {  # the colour of each state
    "": "var(--tp-muted)",
    "yes": "var(--tp-success)",
    "no": "var(--tp-trouble)",
    "accent": "var(--tp-accent)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A tensor, or the module above its tensors.

    Attributes:
        name: Its name in the network.
        detail: Its shape, or the class of the module.
        tone: Its state: a key of ``INKS``.
        mark: A few words about the state, at the right.
        is_module: It is a module; its tensors stand below it, indented.
        is_dashed: It is frozen, left out, or not known yet.
    """

    name: str
    detail: str = ""
    tone: str = ""
    mark: str = ""
    is_module: bool = False
    is_dashed: bool = False

    @property
    def described(self) -> str:
        said = " ".join(text for text in (self.name, self.detail) if text)
        return f"{said} ({self.mark})" if self.mark else said


def draw(rows: Iterable[Row]) -> Picture:
    """Draw the rows one below the other.

    >>> draw([Row(name="0.weight", detail="(8, 4)", mark="frozen")]).values
    {'rows': '0.weight (8, 4) (frozen)'}
    """
    drawn = tuple(rows)
    parts = "".join(_row(each, 2 + LINE * index) for index, each in enumerate(drawn))
    height = 4 + LINE * len(drawn)
    svg = f'<svg viewBox="0 0 {WIDTH} {height}">{parts}</svg>'
    described = "; ".join(each.described for each in drawn if not each.is_module)
    return Picture(svg, {"rows": described or "—"})


def _row(row: Row, y: int) -> str:
    ink = INKS[row.tone]
    left = 0 if row.is_module else INDENT
    name, detail, mark = (html.escape(text) for text in (row.name, row.detail, row.mark))
    if row.is_module:
        return (
            f'<g data-id="module-{name}" transform="translate(0 {y})"><text x="2" y="18"'
            f' font-size="14" style="fill:var(--tp-ink)"><tspan font-weight="650">{name}</tspan>'
            f'<tspan dx="8" style="fill:var(--tp-muted)">{detail}</tspan></text></g>'
        )
    dash = ' stroke-dasharray="4 4"' if row.is_dashed else ""
    fill = "none" if row.is_dashed else f"color-mix(in srgb,{ink} 14%,transparent)"
    return (
        f'<g data-id="tensor-{name}" transform="translate({left} {y})">'
        f'<rect x="1" y="1" width="{WIDTH - left - 2}" height="{LINE - 5}" rx="6"'
        f' style="fill:{fill};stroke:{ink}" stroke-width="1.4"{dash}/>'
        f'<text x="9" y="16" font-size="13" font-family="var(--st-code-font, monospace)"'
        f' style="fill:var(--tp-ink)">{name}<tspan dx="10" style="fill:var(--tp-muted)">{detail}'
        f'</tspan></text><text x="{WIDTH - left - 10}" y="16" font-size="13" text-anchor="end"'
        f' font-weight="650" style="fill:var(--tp-ink)">{mark}</text></g>'
    )
