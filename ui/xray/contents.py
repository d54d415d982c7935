"""The contents of an accepted file: a map of its bytes, and tabs with all that it holds."""

import html
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.checkpoints.inspect.results import Entry, Format, Inspection, Kind, Node, Tensor
from ui import html_markup
from ui.language import say, size
from ui.xray import modules

T = TypeVar("T")
MAX_ROWS = 200
MAX_LINES = 300
TREE_HEIGHT = 340
Cell = str | int | float | bool | None
Row = tuple[Cell, ...]
Table = tuple[tuple[str, ...], Sequence[T], Callable[[T], Row]]  # columns, items, row of one
NUMBERS = {Format.TORCH: re.compile(r"(^|.*/)data/\d+"), Format.SAFETENSORS: re.compile("data")}
MAX_PIECES = 400  # a screen has no room for more


def draw(place: DeltaGenerator, inspection: Inspection, key: str) -> DeltaGenerator:
    """Draw the tabs, and return the place of the list of tensors.

    Args:
        place: The container.
        inspection: Of an accepted file.
        key: The tabs' key.
    """
    shown = {"tensors": bool(inspection.tensors), "structure": True, "entries": True}
    shown["metadata"] = bool(inspection.metadata)
    names = [name for name, is_there in shown.items() if is_there]
    tabs = place.tabs([say(f"xray.tab-{name}") for name in names], key=key)
    tensors = place
    for name, tab in zip(names, tabs, strict=True):
        with tab:
            if name == "tensors":
                tensors = st.empty()
                tensors.html(modules.rows(inspection, ()))
            elif name == "structure":
                lines = tree(inspection)
                is_long = lines.count("\n") > 12
                st.code(lines, language=None, height=TREE_HEIGHT if is_long else "content")
            else:
                if name == "entries":
                    st.html(f'<div class="tp-answer">{byte_map(inspection)}</div>')
                table(*TABLES[name](inspection))
    return tensors


def table(names: tuple[str, ...], items: Sequence[T], row: Callable[[T], Row]) -> None:
    """Draw a table of plain text; a long one scrolls.

    Args:
        names: Ids of the columns' titles.
        items: The rows; only the first are shown.
        row: Returns the cells of an item.
    """
    columns = tuple(say(f"xray.column-{name}") for name in names)
    markup = html_markup.table(columns, tuple(map(row, items[:MAX_ROWS])))
    st.html(f'<div class="tp-tall">{markup}</div>')
    if len(items) > MAX_ROWS:
        st.caption(say("xray.more-rows", count=len(items) - MAX_ROWS))


def entries(inspection: Inspection) -> Table[Entry]:
    """Return the table of the file's records."""
    return ("entry", "bytes"), inspection.entries, lambda each: (each.name, f"{each.bytes:,}")


def metadata(inspection: Inspection) -> Table[tuple[str, str]]:
    """Return the table of the file's metadata."""
    return ("name", "text"), inspection.metadata, lambda each: each


def tree(inspection: Inspection) -> str:
    """Format the structure as indented plain text."""
    if inspection.structure is None:
        return ""
    rest = iter(inspection.tensors)  # the tree has the same order
    lines: list[str] = []
    for node, depth in _walk(inspection.structure.root, 0):
        if len(lines) == MAX_LINES:
            lines.append("…")
            break
        tensor = next(rest) if node.kind is Kind.TENSOR else None
        lines.append("  " * depth + _node_line(node, tensor))
    return "\n".join(lines)


def _walk(node: Node, depth: int) -> Iterator[tuple[Node, int]]:
    yield node, depth
    for child in node.children:
        yield from _walk(child, depth + 1)


def _node_line(node: Node, tensor: Tensor | None) -> str:
    name = f"{node.name}: " if node.path else ""
    if tensor is not None:
        return f"{name}tensor {tensor.shape} {tensor.dtype}"
    if node.kind is Kind.VALUE:
        return f"{name}{node.text or node.type}"
    return f"{name}{node.kind} ({node.type}, {len(node.children)})"


TABLES: dict[str, Callable[[Inspection], Table[Any]]] = {
    "entries": entries,
    "metadata": metadata,
}


def byte_map(inspection: Inspection) -> str:
    """Format the file as a strip: each record as wide as its bytes, numbers coloured.

    Args:
        inspection: Of an accepted file.
    """
    pieces = inspection.entries[:MAX_PIECES]
    if not pieces:
        return ""
    numbers = number_bytes(inspection)
    around = inspection.file_bytes - numbers
    alt = say("xray.strip", numbers=size(numbers), around=size(around))
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
    """Return how many bytes of the file are numbers."""
    return sum(each.bytes for each in inspection.entries if _has_numbers(inspection, each))


def _has_numbers(inspection: Inspection, entry: Entry) -> bool:
    pattern = NUMBERS.get(inspection.format)
    return bool(pattern and pattern.fullmatch(entry.name))


def _piece(entry: Entry, *, is_numbers: bool) -> str:
    text = html.escape(f"{entry.name}: {size(entry.bytes)}")
    kind = ' class="tp-numbers"' if is_numbers else ""
    return f'<i{kind} style="flex-grow:{entry.bytes}" title="{text}"></i>'
