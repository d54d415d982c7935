"""Picture of most steps on ties: names at the left, linked to Parameters and storages."""

import html
from dataclasses import dataclass

from playground.steps import Picture

WIDTH, LINE, TOP = 440, 44, 34
BOX_HEIGHT = 32
MAX_NODES = 12  # of a column; the rest is counted

Links = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ties:
    """Plain data of the picture.

    Attributes:
        columns: Texts of the nodes, column by column from the left.
        links: For each pair of neighbouring columns, the linked nodes, by index.
        hot: The node, by column and index, that is marked as wrong.
    """

    columns: tuple[tuple[str, ...], ...]
    links: tuple[Links, ...] = ()
    hot: tuple[tuple[int, int], ...] = ()

    @property
    def described(self) -> str:
        """The links as a text.

        >>> Ties(columns=(("a", "b"), ("one weight",)), links=(((0, 0), (1, 0)),)).described
        'a, b → one weight'
        """
        groups = []
        for links, left, right in zip(self.links, self.columns, self.columns[1:], strict=False):
            for place, text in enumerate(right):
                names = ", ".join(left[start] for start, end in links if end == place)
                groups.append(f"{names or '—'} → {text}")
        return "; ".join(groups) or "—"


def draw(ties: Ties, titles: tuple[str, ...]) -> Picture:
    """Draw the columns with their titles; a node with several incoming links is filled."""
    rows = min(max(map(len, ties.columns)), MAX_NODES)
    height = TOP + LINE * rows + 4
    width = {2: 196, 3: 126}[len(ties.columns)]
    gap = (WIDTH - width * len(ties.columns)) / (len(ties.columns) - 1)
    parts = []
    for number, links in enumerate(ties.links):
        x = width + number * (width + gap)
        left, right = ties.columns[number : number + 2]
        for start, end in links:
            if max(start, end) < MAX_NODES:
                points = (x, centre(start, len(left), rows), x + gap, centre(end, len(right), rows))
                parts.append(_link(f"{number}-{start}", points))
    for number, (column, title) in enumerate(zip(ties.columns, titles, strict=True)):
        x = number * (width + gap)
        parts.append(
            f'<text x="{x + width / 2:g}" y="18" font-size="13" text-anchor="middle"'
            f' style="fill:var(--tp-muted)">{html.escape(title)}</text>'
        )
        into = ties.links[number - 1] if number and ties.links else ()
        for place, text in enumerate(column[:MAX_NODES]):
            is_shared = sum(end == place for _, end in into) > 1
            ink = "var(--tp-accent)" if is_shared else "var(--tp-muted)"
            ink = "var(--tp-trouble)" if (number, place) in ties.hot else ink
            y = centre(place, len(column), rows) - BOX_HEIGHT / 2
            is_cut = place == MAX_NODES - 1 and len(column) > MAX_NODES
            shown = f"… +{len(column) - MAX_NODES + 1}" if is_cut else text
            parts.append(_node(f"{number}-{place}", (x, y, width), shown, ink))
    svg = f'<svg viewBox="0 0 {WIDTH} {height:g}">{"".join(parts)}</svg>'
    return Picture(svg, {"ties": ties.described})


def centre(place: int, count: int, rows: int) -> float:
    """Return the y coordinate of a node; a short column is centred."""
    count = min(count, MAX_NODES)
    return TOP + LINE * (place + 0.5 + (rows - count) / 2)


def _link(key: str, points: tuple[float, float, float, float]) -> str:
    x, y, to_x, to_y = points
    middle = (x + to_x) / 2
    return (
        f'<path data-id="link-{key}" d="M{x:g} {y:g} C{middle:g} {y:g} {middle:g} {to_y:g} {to_x:g}'
        f' {to_y:g}" fill="none" style="stroke:var(--tp-muted)" stroke-width="1.8"/>'
    )


def _node(key: str, place: tuple[float, float, float], text: str, ink: str) -> str:
    x, y, width = place
    return (
        f'<g data-id="node-{key}" transform="translate({x:g} {y:g})"><rect width="{width:g}"'
        f' height="{BOX_HEIGHT}" rx="8" style="fill:color-mix(in srgb,{ink} 14%,transparent);'
        f'stroke:{ink}" stroke-width="1.6"/><text x="{width / 2:g}" y="21" font-size="13"'
        f' text-anchor="middle" font-family="var(--st-code-font, monospace)"'
        f' style="fill:var(--tp-ink)">{html.escape(text)}</text></g>'
    )
