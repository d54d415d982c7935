"""Pictures of the lesson on custom layers: text, a number line and a checklist."""

import html
import math
from collections.abc import Iterable, Iterator, Sequence

WIDTH = 440
INK, MUTED, LINE = "var(--tp-ink)", "var(--tp-muted)", "var(--tp-line)"
ACCENT, TROUBLE, SUCCESS = "var(--tp-accent)", "var(--tp-trouble)", "var(--tp-success)"


def text_at(
    x: float,
    y: float,
    text: str,
    colour: str = INK,
    anchor: str = "start",
    *,
    size: int = 13,
    weight: int = 400,
) -> str:
    """Draw a line of text."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"'
        f' font-weight="{weight}" style="fill:{colour}">{html.escape(text)}</text>'
    )


def svg_of(parts: Iterable[str], height: float) -> str:
    """Join the parts into one picture."""
    return f'<svg viewBox="0 0 {WIDTH} {height:g}">{"".join(parts)}</svg>'


def checklist(rows: Sequence[tuple[str, bool | None]]) -> str:
    """Draw a line with a sign for each text: done, not done, or not known yet."""
    return svg_of(_checks(rows), 32 * len(rows) + 8)


def _checks(rows: Sequence[tuple[str, bool | None]]) -> Iterator[str]:
    signs = {None: ("?", MUTED), True: ("✓", SUCCESS), False: ("✗", TROUBLE)}
    for index, (text, is_done) in enumerate(rows):
        sign, colour = signs[is_done]
        y = 32 * index + 20
        yield (
            f'<circle data-id="check-{index}" cx="16" cy="{y}" r="11" style="fill:color-mix(in'
            f' srgb,{colour} 16%,transparent);stroke:{colour}" stroke-width="1.6"/>'
        )
        yield text_at(16, y + 5, sign, colour, "middle", weight=650)
        yield text_at(38, y + 5, text)


def dots(rows: Sequence[tuple[str, Sequence[float], str]]) -> str:
    """Draw rows of values over one number line, each with its name above it."""
    values = [value for _, row, _ in rows for value in row]
    low, high = min(values), max(values)
    room = (high - low) or 1.0
    parts = []
    for index, (name, row, colour) in enumerate(rows):
        y = 52 * index + 36
        parts.append(text_at(8, y - 18, name, MUTED))
        parts.append(f'<path d="M8 {y} H{WIDTH - 8}" style="stroke:{LINE}" stroke-width="1.4"/>')
        for place, value in enumerate(row):
            x = 24 + (WIDTH - 48) * (value - low) / room
            parts.append(
                f'<circle data-id="dot-{index}-{place}" cx="{x:.1f}" cy="{y}" r="5"'
                f' style="fill:{colour}"/>'
            )
            parts.append(text_at(x, y + 19, f"{value:g}", INK, "middle", size=12))
    return svg_of(parts, 52 * len(rows) + 12)


def magnitudes(marks: Sequence[tuple[str, float, str]]) -> str:
    """Draw values on a logarithmic line, with 0 at its left end."""
    exponents = [math.log10(abs(value)) for _, value, _ in marks if value]
    low, high = math.floor(min(exponents)) - 2, math.ceil(max(exponents)) + 1
    parts = [f'<path d="M8 90 H{WIDTH - 8}" style="stroke:{MUTED}" stroke-width="1.4"/>']
    for exponent in range(low + 1, high + 1, max(1, (high - low) // 6)):
        x = 40 + (WIDTH - 60) * (exponent - low) / (high - low)
        parts.append(f'<path d="M{x:.1f} 86 v8" style="stroke:{MUTED}"/>')
        parts.append(text_at(x, 110, f"1e{exponent}", MUTED, "middle", size=12))
    parts.append(text_at(14, 110, "0", MUTED, "middle", size=12))
    for index, (name, value, colour) in enumerate(marks):
        share = (math.log10(abs(value)) - low) / (high - low) if value else 0
        x = 40 + (WIDTH - 60) * share if value else 14
        y = 18 + 22 * index
        anchor = "start" if share < 0.5 else "end"
        parts.append(f'<path d="M{x:.1f} {y + 4} V90" style="stroke:{colour}"/>')
        parts.append(
            f'<circle data-id="mark-{index}" cx="{x:.1f}" cy="90" r="5" style="fill:{colour}"/>'
        )
        shift = 6 if anchor == "start" else -6
        parts.append(text_at(x + shift, y + 6, f"{name} {value:.2g}", colour, anchor))
    return svg_of(parts, 120)
