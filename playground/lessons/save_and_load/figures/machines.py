"""Two machines and a file that goes from the one to the other."""

import plotly.graph_objects as go

from playground.lessons.save_and_load.figures.marks import draw_arrow, surface
from playground.lessons.save_and_load.records import GPUS_WHERE_SAVED, LoadElsewhereReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch, tinted
from playground.sketch.canvas import draw_box, write

HEAD, ROW, BOX = 26, 38, 28
SAVED, FILE, LOADED = (0.0, 0.29), (0.38, 0.62), (0.71, 1.0)


@drawn_once
def machines(report: LoadElsewhereReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the devices of both machines, the tag in the file, and where the tensors arrive.

    Args:
        report: The file's way.
        palette: The colours of the theme.
        words: Needs ``where_saved``, ``the_file`` and ``where_loaded``.
    """
    left = ("cpu", *(f"cuda:{index}" for index in range(GPUS_WHERE_SAVED)))
    right = ("cpu", *(f"cuda:{index}" for index in range(report.gpus)))
    height = HEAD + ROW * max(len(left), len(right))
    sketch = surface(palette, height)
    for span, label in (
        (SAVED, "where_saved"),
        (FILE, "the_file"),
        (LOADED, "where_loaded"),
    ):
        write(
            sketch,
            words[label],
            sum(span) / 2,
            height - HEAD / 2,
            palette.muted,
            anchor="center",
            size=11,
        )
    tag = report.tags[0][1]
    from_y = _draw_devices(sketch, "saved", left, SAVED, height, palette, tag)
    to_y = _draw_devices(sketch, "loaded", right, LOADED, height, palette, report.device)
    middle = height - HEAD - ROW * max(len(left), len(right)) / 2
    colour = palette.device(tag)
    draw_box(
        sketch,
        (FILE[0], middle - 24, FILE[1] - FILE[0], 48),
        fill=tinted(colour.fill, 0.16),
        edge=colour.fill,
    )
    centre = (FILE[0] + FILE[1]) / 2
    write(
        sketch,
        "mlp.params",
        centre,
        middle + 9,
        palette.ink,
        anchor="center",
        is_code=True,
        size=11,
    )
    write(
        sketch,
        f"<b>{tag}</b>",
        centre,
        middle - 9,
        colour.text,
        anchor="center",
        is_code=True,
        size=12,
    )
    draw_arrow(sketch, (SAVED[1], from_y[tag]), (FILE[0], middle), colour.fill)
    if report.device is None:
        x = (FILE[1] + LOADED[0]) / 2
        write(sketch, "<b>✗</b>", x, middle, palette.trouble, anchor="center", size=20)
    else:
        arrived = (LOADED[0], to_y[report.device])
        draw_arrow(sketch, (FILE[1], middle), arrived, palette.device(report.device).fill)
    return go.Figure(sketch.spec())


def _draw_devices(
    sketch: Sketch,
    side: str,
    names: tuple[str, ...],
    span: tuple[float, float],
    height: float,
    palette: Palette,
    chosen: str | None,
) -> dict[str, float]:
    """Draw a machine's devices; the middle of each."""
    heights = {}
    for index, name in enumerate(names):
        y = heights[name] = height - HEAD - ROW * (index + 0.5)
        colour = palette.device(name)
        draw_box(
            sketch,
            (span[0], y - BOX / 2, span[1] - span[0], BOX),
            fill=tinted(colour.fill, 0.22 if name == chosen else 0.05),
            edge=colour.fill,
            dash="dot" if name != "cpu" else "solid",  # simulated
        )
        sketch.add_scatter(
            x=[(span[0] + span[1]) / 2],
            y=[y],
            name=f"{side} {name}",
            mode="text",
            text=[f"<b>{name}</b>" if name == chosen else name],
            textfont={"color": colour.text, "size": 12, "family": MONOSPACE},
            hoverinfo="skip",
        )
    return heights
