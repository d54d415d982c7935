"""The visitor's light or dark theme: its palette, and the one style sheet made from it."""

from functools import cache
from pathlib import Path

import streamlit as st

from playground.machines.machine import Machine
from playground.palette import DARK, LIGHT, Palette

SHEET = Path(__file__).with_name("style.css")


def palette() -> Palette:
    """The palette of the theme that the browser shows."""
    return DARK if st.context.theme.type == "dark" else LIGHT


@cache
def style_sheet(colours: Palette) -> str:
    """The style sheet with the palette's colours as CSS variables and one class per device."""
    names = ("cpu", *(f"cuda:{index}" for index in range(Machine.MOST_GPUS)))
    variables = {
        "ink": colours.ink,
        "paper": colours.paper,
        "muted": colours.muted,
        "line": colours.line,
        "trouble": colours.trouble,
        "success": colours.success,
        "accent": colours.accent,
    }
    root = "".join(f"--tp-{name}: {value};" for name, value in variables.items())
    devices = "".join(
        f".tp-device.{device_class(name)} {{ background: {colours.device(name).fill};"
        f" color: {colours.device(name).on_fill}; }}\n"
        for name in names
    )
    return f"<style>:root {{ {root} }}\n{devices}{SHEET.read_text('utf-8')}</style>"


def device_class(name: str) -> str:
    """The CSS class of a device's name.

    >>> device_class("cuda:1")
    'tp-cuda-1'
    """
    return f"tp-{name.replace(':', '-')}"
