"""The file as a strip: each record as wide as its bytes, numbers coloured, the rest grey."""

import html
import re

from playground.checkpoints.inspect import Entry, Format, Inspection
from playground.units import format_bytes
from ui.words import say

NUMBERS = {Format.TORCH: re.compile(r"(^|.*/)data/\d+"), Format.SAFETENSORS: re.compile("data")}
MOST_PIECES = 400  # a screen has no room for more


def strip(inspection: Inspection) -> str:
    """Draw it as HTML; empty where there is nothing to draw.

    Args:
        inspection: Of an accepted file.
    """
    pieces = inspection.entries[:MOST_PIECES]
    if not pieces:
        return ""
    numbers = number_bytes(inspection)
    around = inspection.file_bytes - numbers
    alt = say("xray.strip", numbers=format_bytes(numbers), around=format_bytes(around))
    rest = inspection.file_bytes - sum(each.bytes for each in pieces)
    drawn = [_piece(each, is_numbers=_has_numbers(inspection, each)) for each in pieces]
    drawn.append(
        f'<i style="flex-grow:{max(rest, 0)}" title="{html.escape(say("xray.frame"))}"></i>'
    )
    return (
        f'<div class="tp-strip" role="img" aria-label="{html.escape(alt)}">{"".join(drawn)}</div>'
        f'<div class="tp-muted">{html.escape(alt)}</div>'
    )


def number_bytes(inspection: Inspection) -> int:
    """How much of the file is numbers."""
    return sum(each.bytes for each in inspection.entries if _has_numbers(inspection, each))


def _has_numbers(inspection: Inspection, entry: Entry) -> bool:
    pattern = NUMBERS.get(inspection.format)
    return bool(pattern and pattern.fullmatch(entry.name))


def _piece(entry: Entry, *, is_numbers: bool) -> str:
    told = html.escape(f"{entry.name}: {format_bytes(entry.bytes)}")
    kind = ' class="tp-numbers"' if is_numbers else ""
    return f'<i{kind} style="flex-grow:{entry.bytes}" title="{told}"></i>'
