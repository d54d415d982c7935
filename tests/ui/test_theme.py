"""Text on every colour must read at 4.5 : 1 in both themes."""

import tomllib
from pathlib import Path

import pytest

from playground.palette import DARK, LIGHT
from ui.theme import style_sheet, with_colours

ROOT = Path(__file__).resolve().parents[2]
READABLE = 4.5


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_all_text_is_readable(palette):
    assert round(contrast("#000000", "#FFFFFF"), 6) == 21  # by WCAG
    for device in (palette.cpu, *palette.devices):
        assert contrast(device.fill, device.on_fill) >= READABLE, device
        assert contrast(palette.paper, device.text) >= READABLE, device
    for ink in (palette.ink, palette.muted, palette.trouble, palette.success, palette.accent):
        assert contrast(palette.paper, ink) >= READABLE, ink


@pytest.mark.parametrize(("palette", "theme"), [(LIGHT, "light"), (DARK, "dark")])
def test_the_palette_agrees_with_streamlits_theme(palette, theme):
    written = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"][theme]

    assert (palette.paper, palette.ink, palette.line, palette.accent) == (
        written["backgroundColor"],
        written["textColor"],
        written["borderColor"],
        written["primaryColor"],
    )


def test_a_picture_outside_the_page_gets_colours_for_its_variables():
    svg = "var(--tp-ink) var(--tp-cpu) var(--tp-cuda-1-on) var(--tp-cuda-5-text) var(--st-font, x)"
    gpu = LIGHT.devices[1]
    colours = LIGHT.ink, LIGHT.cpu.fill, gpu.on_fill, gpu.text, "var(--st-font, x)"
    assert with_colours(svg).split(" ", 4) == list(colours)


def test_the_style_sheet_has_a_class_for_every_device_and_asks_no_other_host():
    sheet = style_sheet()
    assert all(f".tp-cuda-{index} " in sheet for index in range(8))
    assert "http" not in sheet
    assert "@import" not in sheet
