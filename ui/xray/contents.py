"""All that an accepted file holds, in tabs: tensors, structure, records, texts."""

import html
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.checkpoints.inspect import Entry, Inspection, Node, Tensor
from playground.checkpoints.inspect.records import Kind, Path
from playground.checkpoints.inspect.shown import dotted
from playground.units import format_bytes
from ui import answer_view
from ui.words import say

T = TypeVar("T")
MOST_ROWS = 200
MOST_LINES = 300
MAX_TIED = 4  # names in one cell
TREE_HEIGHT = 340
Cell = str | int | float | bool | None
Row = tuple[Cell, ...]
Table = tuple[tuple[str, ...], Sequence[T], Callable[[T], Row]]  # columns, items, row of one


def draw(place: DeltaGenerator, inspection: Inspection, key: str) -> None:
    """Draw the tabs.

    Args:
        place: Where.
        inspection: Of an accepted file.
        key: Tells these tabs from others.
    """
    shown = {"tensors": bool(inspection.tensors), "structure": True, "entries": True}
    shown["metadata"] = bool(inspection.metadata)
    names = [name for name, is_there in shown.items() if is_there]
    tabs = place.tabs([say(f"xray.tab-{name}") for name in names], key=key)
    for name, tab in zip(names, tabs, strict=True):
        with tab:
            if name == "structure":
                lines = tree(inspection)
                is_long = lines.count("\n") > 12
                st.code(lines, language=None, height=TREE_HEIGHT if is_long else "content")
            else:
                table(*TABLES[name](inspection))


def summary(inspection: Inspection) -> str:
    """How much an accepted file holds, as HTML."""
    numbers = sum(math.prod(each.shape) for each in inspection.tensors)
    dtypes = ", ".join(dict.fromkeys(each.dtype for each in inspection.tensors)) or "—"
    told = say("xray.holds", numbers=f"{numbers:,}", dtypes=dtypes)
    return f'<div class="tp-why">{html.escape(told)}</div>'


def table(names: tuple[str, ...], items: Sequence[T], row: Callable[[T], Row]) -> None:
    """A table of ours; its cells are plain text. A long one is scrolled in its place.

    Args:
        names: Of the columns, in the words.
        items: What there is to show; the first of them are.
        row: The cells of one.
    """
    columns = tuple(say(f"xray.column-{name}") for name in names)
    markup = answer_view.table(columns, tuple(map(row, items[:MOST_ROWS])))
    st.html(f'<div class="tp-tall">{markup}</div>')
    if len(items) > MOST_ROWS:
        st.caption(say("xray.more-rows", count=len(items) - MOST_ROWS))


def tensors(inspection: Inspection) -> Table[Tensor]:
    """One row for each tensor."""
    names = ("name", "shape", "dtype", "stride", "bytes", "device")
    groups = inspection.groups
    if not groups:
        return names, inspection.tensors, _row

    def with_ties(each: Tensor) -> Row:
        return *_row(each), _tied(each, groups.get(each.storage, ()))

    return (*names, "tied"), inspection.tensors, with_ties


def _row(each: Tensor) -> Row:
    return (
        named(each.name),
        str(each.shape),
        each.dtype,
        str(each.stride),
        format_bytes(each.bytes).replace(" ", "\xa0"),
        each.device,
    )


def _tied(each: Tensor, group: tuple[Path, ...]) -> str:
    """The first names of those that it is tied with; there may be thousands of them."""
    others = [path for path in group[: MAX_TIED + 1] if path != each.path]
    return ", ".join(map(dotted, others[:MAX_TIED])) or "—"


def named(name: str) -> str:
    """The name of a tensor; a file that is one tensor has none for it."""
    return name or say("xray.whole")


def entries(inspection: Inspection) -> Table[Entry]:
    """What the file is made of."""
    return ("entry", "bytes"), inspection.entries, lambda each: (each.name, f"{each.bytes:,}")


def metadata(inspection: Inspection) -> Table[tuple[str, str]]:
    """The texts that the file carries about itself."""
    return ("name", "text"), inspection.metadata, lambda each: each


def tree(inspection: Inspection) -> str:
    """The structure as indented plain text."""
    if inspection.structure is None:
        return ""
    rest = iter(inspection.tensors)  # they stand in the tree in the same order
    lines: list[str] = []
    for node, depth in _walk(inspection.structure.root, 0):
        if len(lines) == MOST_LINES:
            lines.append("…")
            break
        tensor = next(rest) if node.kind is Kind.TENSOR else None
        lines.append("  " * depth + _line(node, tensor))
    return "\n".join(lines)


def _walk(node: Node, depth: int) -> Iterator[tuple[Node, int]]:
    yield node, depth
    for child in node.children:
        yield from _walk(child, depth + 1)


def _line(node: Node, tensor: Tensor | None) -> str:
    name = f"{node.name}: " if node.path else ""
    if tensor is not None:
        return f"{name}tensor {tensor.shape} {tensor.dtype}"
    if node.kind is Kind.VALUE:
        return f"{name}{node.text or node.type}"
    return f"{name}{node.kind} ({node.type}, {len(node.children)})"


TABLES: dict[str, Callable[[Inspection], Table[Any]]] = {
    "tensors": tensors,
    "entries": entries,
    "metadata": metadata,
}
