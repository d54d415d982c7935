"""The SVG elements of this lesson's pictures: boxes, texts and arrows."""

import html

from playground.steps import Picture

WIDTH = 440
INK, PAPER, MUTED = "var(--tp-ink)", "var(--tp-paper)", "var(--tp-muted)"
ACCENT, SUCCESS, TROUBLE = "var(--tp-accent)", "var(--tp-success)", "var(--tp-trouble)"
CODE = "var(--st-code-font, monospace)"


def text(
    x: float,
    y: float,
    words: str,
    *,
    ink: str = INK,
    anchor: str = "start",
    size: int = 13,
    is_code: bool = False,
) -> str:
    """Draw a text; ``y`` is its baseline."""
    font = f' font-family="{CODE}"' if is_code else ""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}"{font}'
        f' style="fill:{ink}">{html.escape(words)}</text>'
    )


def box(
    left: float,
    top: float,
    width: float,
    height: float,
    *,
    colour: str = MUTED,
    tint: int = 12,
    name: str = "",
) -> str:
    """Draw a rounded box, tinted by a percentage of its colour; one with a name is animated."""
    marked = f' data-id="{html.escape(name)}"' if name else ""
    return (
        f'<rect{marked} x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="6"'
        f' style="fill:color-mix(in srgb,{colour} {tint}%,transparent);stroke:{colour}"/>'
    )


def arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    """Draw an arrow from left to right."""
    return (
        f'<path d="M{x:g} {y:g} L{to_x:g} {to_y:g} m-6 -4 l6 4 l-6 4" fill="none"'
        f' style="stroke:{MUTED}" stroke-width="1.6"/>'
    )


def picture(height: float, *parts: str, **values: str | float | bool | None) -> Picture:
    """Assemble a picture; ``values`` fill its alternative text."""
    svg = f'<svg viewBox="0 0 {WIDTH} {height:g}">{"".join(parts)}</svg>'
    return Picture(svg, values)
