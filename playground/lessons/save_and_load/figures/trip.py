"""Tensors in memory, the records of the file, and tensors in memory again."""

import plotly.graph_objects as go

from playground.lessons.save_and_load.figures.marks import add_text, draw_arrow, surface
from playground.lessons.save_and_load.records import RoundTripReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import tinted
from playground.sketch.canvas import draw_box, write

HEAD, ROW, BOX = 26, 58, 42
COLUMNS = ((0.0, 0.3), (0.39, 0.61), (0.7, 1.0))  # memory, file, memory


@drawn_once
def trip(report: RoundTripReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the way of every tensor into the file and back.

    Args:
        report: The tensors and the file.
        palette: The colours of the theme.
        words: Needs ``in_memory``, ``in_file`` and ``loaded``.
    """
    height = HEAD + ROW * len(report.pieces)
    sketch = surface(palette, height)
    middles = [(left + right) / 2 for left, right in COLUMNS]
    for x, label in zip(middles, ("in_memory", "in_the_file", "loaded"), strict=True):
        write(sketch, words[label], x, height - HEAD / 2, palette.muted, anchor="center", size=11)
    rows = {index: height - HEAD - ROW * (index + 0.5) for index in range(len(report.pieces))}
    heights: dict[str, list[float]] = {}
    for index, piece in enumerate(report.pieces):
        heights.setdefault(piece.record, []).append(rows[index])
    records = {name: sum(each) / len(each) for name, each in heights.items()}
    edge = palette.accent
    for name, y in records.items():
        left, right = COLUMNS[1]
        box = (left, y - BOX / 2, right - left, BOX)
        draw_box(sketch, box, fill=tinted(palette.accent, 0.12), edge=edge)
        size = dict(report.records)[name]
        add_text(sketch, name, name, middles[1], y + 8, hover=f"{name}: {size} bytes")
        write(sketch, f"{size:,} B", middles[1], y - 9, palette.muted, anchor="center", size=11)
    for index, piece in enumerate(report.pieces):
        y, stored = rows[index], records[piece.record]
        differs = piece.now != piece.loaded
        for (left, right), name, numbers in (
            (COLUMNS[0], piece.name, piece.now),
            (COLUMNS[2], piece.loaded_name, piece.loaded),
        ):
            box = (left, y - BOX / 2, right - left, BOX)
            draw_box(sketch, box, fill=palette.paper, edge=palette.cpu.fill)
            middle = (left + right) / 2
            write(
                sketch,
                f"<b>{name}</b>",
                middle,
                y + 8,
                palette.ink,
                anchor="center",
                is_code=True,
                size=11,
            )
            add_text(
                sketch,
                f"{index} {name}",
                _numbers(numbers, report.length),
                middle,
                y - 9,
                colour=palette.trouble if differs else palette.ink,
                hover=f"{name} = {list(numbers)}",
            )
        draw_arrow(sketch, (COLUMNS[0][1], y), (COLUMNS[1][0], stored), palette.muted)
        draw_arrow(sketch, (COLUMNS[1][1], stored), (COLUMNS[2][0], y), palette.muted)
    return go.Figure(sketch.spec())


def _numbers(numbers: tuple[float, ...], length: int) -> str:
    text = " ".join(f"{number:g}" for number in numbers)
    return text if length <= len(numbers) else f"{text} …"
