"""Two files with the same weights: their sizes, and how long they take."""

import plotly.graph_objects as go

from playground.lessons.save_and_load.figures.marks import add_text, surface
from playground.lessons.save_and_load.records import CompareFormatsReport, FileFormat
from playground.lessons.save_and_load.records.formats import milliseconds
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import draw_box, write
from playground.units import format_bytes

HEAD, ROW, BAR, GAP = 24, 34, 12, 8
LEAST = 0.004  # of the width; what is smaller could not be seen
Bar = tuple[FileFormat, float, str, str]  # of what, how much, in words, more on hover


@drawn_once
def formats(report: CompareFormatsReport, palette: Palette, words: Words) -> go.Figure:
    """Draw three pairs of bars, each pair to a scale of its own: size, saving, loading.

    Args:
        report: The measurement.
        palette: The colours of the theme.
        words: Needs ``file_bytes``, ``saving`` and ``loading``.
    """
    groups = (
        ("file_bytes", _sizes(report)),
        ("saving", _times(report, "saving")),
        ("loading", _times(report, "loading")),
    )
    block = HEAD + ROW * 2 + GAP
    sketch = surface(palette, block * len(groups))
    for index, (label, bars) in enumerate(groups):
        _draw(sketch, words[label], bars, block * (len(groups) - index), palette)
    return go.Figure(sketch.spec())


def _sizes(report: CompareFormatsReport) -> list[Bar]:
    return [
        (each.format, each.file_bytes, format_bytes(each.file_bytes), f"{each.file_bytes:,} bytes")
        for each in report.both
    ]


def _times(report: CompareFormatsReport, what: str) -> list[Bar]:
    bars: list[Bar] = []
    for each in report.both:
        span = each.saving if what == "saving" else each.loading
        low, high = milliseconds(span.low_seconds), milliseconds(span.high_seconds)
        bars.append((each.format, span.median_seconds, str(span), f"{span} ({low} – {high})"))
    return bars


def _draw(sketch: Sketch, title: str, bars: list[Bar], top: float, palette: Palette) -> None:
    write(sketch, title, 0, top - HEAD / 2, palette.muted, size=11)
    most = max(amount for _, amount, _, _ in bars)
    colours = {FileFormat.TORCH: palette.muted, FileFormat.SAFETENSORS: palette.accent}
    for index, (each, amount, said, more) in enumerate(bars):
        row = top - HEAD - ROW * index
        name = {FileFormat.TORCH: "torch", FileFormat.SAFETENSORS: "safetensors"}[each]
        add_text(
            sketch,
            f"{title} {name}",
            name,
            0,
            row - 9,
            textposition="middle right",
            colour=palette.ink,
            hover=f"{name}: {more}",
        )
        write(sketch, f"<b>{said}</b>", 1, row - 9, palette.ink, anchor="right")
        box = (0.0, row - 18 - BAR, max(amount / most, LEAST), BAR)
        draw_box(sketch, box, fill=tinted(colours[each], 0.35), edge=colours[each])
