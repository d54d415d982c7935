"""The visitor's light or dark theme: its palette, and the style sheet made from both."""

import re
from functools import cache
from pathlib import Path

import streamlit as st

from playground.machines.machine import Machine
from playground.palette import DARK, LIGHT, Palette

# A colour that returns on a further GPU carries a pattern, here as in the figures.
HATCH = "repeating-linear-gradient(45deg, transparent 0 4px, rgb(0 0 0 / 18%) 4px 5px)"
SHEET = Path(__file__).with_name("style.css")
VARIABLE = re.compile(r"var\(--tp-(?:(cpu|cuda-\d+)(?:-(on|text))?|(\w+))\)")


def palette() -> Palette:
    """Return the palette of the browser's theme."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def with_colours(svg: str) -> str:
    """Return a picture with colours for its CSS variables: an image does not know the page's."""
    inks = palette()

    def colour(found: re.Match[str]) -> str:
        device, part, ink = found.groups()
        if ink:
            return str(getattr(inks, ink))
        colours = inks.device(device.replace("-", ":"))
        return {"on": colours.on_fill, "text": colours.text}.get(part, colours.fill)

    return VARIABLE.sub(colour, svg)


@cache
def style_sheet() -> str:
    """Return the style sheet: colours as CSS variables, and one class per device.

    It holds both themes, and the browser chooses: a visitor may switch without a rerun.
    """
    names = ("cpu", *(f"cuda:{index}" for index in range(Machine.MAX_GPUS)))
    inks = ("ink", "paper", "muted", "line", "trouble", "success", "accent")
    variables = "".join(
        f"--tp-{ink}: light-dark({getattr(LIGHT, ink)}, {getattr(DARK, ink)});" for ink in inks
    )
    variables += "".join(map(_device_variables, names))
    devices = "".join(_device_rule(name) for name in names)
    app = f'[data-testid="stApp"] {{ {variables} }}'
    rules = f"{app} {devices} {SHEET.read_text('utf-8')}"
    return f"<style>{rules}</style>"


def _device_variables(name: str) -> str:
    """Return a device's colours, for pictures that are part of the page."""
    light, dark, stem = LIGHT.device(name), DARK.device(name), f"--{device_class(name)}"
    return (
        f"{stem}: light-dark({light.fill}, {dark.fill});"
        f"{stem}-on: light-dark({light.on_fill}, {dark.on_fill});"
        f"{stem}-text: light-dark({light.text}, {dark.text});"
    )


def _device_rule(name: str) -> str:
    index = int(name.partition(":")[2] or 0)
    hatch = HATCH if name != "cpu" and index >= len(LIGHT.devices) else "none"
    own = device_class(name)
    return (
        f".{own} {{ --tp-fill: var(--{own}); --tp-on-fill: var(--{own}-on);"
        f" --tp-text: var(--{own}-text); }}\n"
        f".tp-device.{own} {{ background: {hatch} var(--tp-fill); color: var(--tp-on-fill); }}\n"
    )


def device_class(name: str) -> str:
    """Return the CSS class of a device.

    >>> device_class("cuda:1")
    'tp-cuda-1'
    """
    return f"tp-{name.replace(':', '-')}"
