"""Picture of most steps on moving a network: names at the left, devices as columns."""

import html
from dataclasses import dataclass

from playground.machines.machine import DeviceName
from playground.steps import Picture
from playground.steps.device_map import PYTHON, colours

WIDTH, NAMES, HEADER, ROW, GAP, MARK = 440, 152, 30, 34, 6, 16
MAX_NAME = 19  # characters
NARROW = 56  # columns that are narrower have short names


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceTransition:
    """One tensor or Python object, with its previous and its current place.

    Attributes:
        names: Its names in the program, joined by ``" = "``.
        before: Its previous place; empty if it has not moved, or if that is unknown.
        place: Its current place; empty if that is unknown.
        is_empty: It has a place but no values yet.
        is_trouble: It is in the wrong place.
    """

    names: str
    before: str = ""
    place: str = ""
    is_empty: bool = False
    is_trouble: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceTransitions:
    """Plain data of the picture."""

    devices: tuple[DeviceName, ...]
    is_simulated: bool
    transitions: tuple[DeviceTransition, ...]

    @property
    def places(self) -> tuple[str, ...]:
        """The columns: every device, then the other places."""
        named = {
            each
            for transition in self.transitions
            for each in (transition.before, transition.place)
            if each
        }
        return (*self.devices, *sorted(named - {*self.devices}))

    @property
    def described(self) -> str:
        """Each transition and its move, as a text.

        >>> moved = DeviceTransition(names="X", before="cpu", place="cuda:0")
        >>> DeviceTransitions(devices=("cpu",), is_simulated=True, transitions=(moved,)).described
        'X: cpu → cuda:0'
        """
        return "; ".join(
            f"{each.names}: {' → '.join(map(shown, filter(None, (each.before, each.place))))}"
            for each in self.transitions
        )


def shown(place: str) -> str:
    """Return the label of a place."""
    return "Python" if place == PYTHON else place


def draw(transitions: DeviceTransitions) -> Picture:
    """Draw a column for each place and a row for each transition."""
    places = transitions.places
    width = (WIDTH - NAMES) / len(places) - GAP
    middles = {
        place: NAMES + GAP + index * (width + GAP) + width / 2 for index, place in enumerate(places)
    }
    height = HEADER + ROW * len(transitions.transitions) + 6
    parts = [_column(place, middles[place], width, height, transitions) for place in places]
    for index, transition in enumerate(transitions.transitions):
        parts.append(_row(transition, HEADER + ROW * (index + 0.5), middles))
    svg = f'<svg viewBox="0 0 {WIDTH} {height:g}">{"".join(parts)}</svg>'
    return Picture(svg, {"ways": transitions.described})


def _column(
    place: str, middle: float, width: float, height: float, transitions: DeviceTransitions
) -> str:
    fill, _, ink = colours(place)
    is_dotted = place == PYTHON or (place != "cpu" and transitions.is_simulated)
    dash = ' stroke-dasharray="2 4"' if is_dotted else ""
    name = shown(place)
    if width < NARROW:
        name = name.removeprefix("cuda").removesuffix("thon")
    return (
        f'<g data-id="column-{place}"><rect x="{middle - width / 2:.1f}" y="1" rx="10"'
        f' width="{width:.1f}" height="{height - 2:g}" stroke="{fill}" stroke-width="1.8"'
        f' style="fill:color-mix(in srgb,{fill} 9%,transparent);stroke:{fill}"'
        f' stroke-linecap="round"{dash}/><text x="{middle:.1f}" y="20" font-size="14"'
        f' text-anchor="middle" font-weight="650" style="fill:{ink}">{html.escape(name)}</text></g>'
    )


def _row(transition: DeviceTransition, y: float, middles: dict[str, float]) -> str:
    ink = "var(--tp-trouble)" if transition.is_trouble else "var(--tp-ink)"
    names = transition.names.split(" = ")
    parts = [
        f'<text x="0" y="{y + 5 + 15 * (line - (len(names) - 1) / 2):g}" font-size="13"'
        f' style="fill:{ink}" font-family="var(--st-code-font, monospace)">'
        f"{html.escape(_shortened(name))}</text>"
        for line, name in enumerate(names)
    ]
    if transition.before and transition.before != transition.place:
        parts.append(
            _square(transition, transition.before, middles[transition.before], y, is_there=False)
        )
        if transition.place:
            parts.append(_way(middles[transition.before], middles[transition.place], y))
    if transition.place:
        parts.append(
            _square(transition, transition.place, middles[transition.place], y, is_there=True)
        )
    return "".join(parts)


def _shortened(name: str) -> str:
    """Shorten a name at its start, since the end distinguishes the tensors."""
    return name if len(name) <= MAX_NAME else "…" + name[1 - MAX_NAME :]


def _way(start: float, end: float, y: float) -> str:
    side = 1 if end > start else -1
    tip = end - side * (MARK / 2 + 3)
    return (
        f'<path d="M{start + side * (MARK / 2 + 2):.1f} {y:g} H{tip:.1f} m{-side * 6} -4'
        f' l{side * 6} 4 l{-side * 6} 4" fill="none" style="stroke:var(--tp-muted)"'
        f' stroke-width="1.8" stroke-linecap="round"/>'
    )


def _square(transition: DeviceTransition, place: str, x: float, y: float, *, is_there: bool) -> str:
    fill, on_fill, ink = colours(place)
    is_solid = is_there and not transition.is_empty
    style = f"fill:{fill};stroke:{ink}" if is_solid else f"fill:var(--tp-paper);stroke:{fill}"
    dash = "" if is_solid else ' stroke-dasharray="3 2"'
    sign = ""
    if is_there and transition.is_trouble:
        style += ";stroke:var(--tp-trouble)"
        sign = (
            f'<text y="5" text-anchor="middle" font-size="13" font-weight="700"'
            f' style="fill:{on_fill if is_solid else "var(--tp-trouble)"}">✗</text>'
        )
    name, kind = html.escape(transition.names), "mark" if is_there else "from"
    return (
        f'<g data-id="{kind}-{name}" transform="translate({x:.1f} {y:g})">'
        f"<title>{name}: {html.escape(place)}</title>"
        f'<rect x="{-MARK / 2:g}" y="{-MARK / 2:g}" width="{MARK}" height="{MARK}" rx="4"'
        f' style="{style}" stroke-width="{2.6 if sign else 1.6}"{dash}/>{sign}</g>'
    )
