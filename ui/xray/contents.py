"""All that an accepted file holds, in tabs: tensors, structure, records, texts."""

from collections.abc import Iterator

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.checkpoints.inspect import Inspection, Node, Tensor
from playground.checkpoints.inspect.records import Kind
from playground.units import format_bytes
from ui import answer_view
from ui.words import say

MOST_ROWS = 200
MOST_LINES = 300
TREE_HEIGHT = 340
Cell = str | int | float | bool | None


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
                table(
                    *{"tensors": tensors, "entries": entries, "metadata": metadata}[name](
                        inspection
                    )
                )


def table(names: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> None:
    """A table of ours; its cells are plain text. A long one is scrolled in its place."""
    columns = tuple(say(f"xray.column-{name}") for name in names)
    markup = answer_view.table(columns, tuple(rows[:MOST_ROWS]))
    st.html(f'<div class="tp-tall">{markup}</div>')
    if len(rows) > MOST_ROWS:
        st.caption(say("xray.more-rows", count=len(rows) - MOST_ROWS))


def tensors(inspection: Inspection) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """One row for each tensor."""
    has_ties = bool(inspection.ties)
    names = ("name", "shape", "dtype", "stride", "bytes", "device")
    rows = [_row(each, has_ties=has_ties) for each in inspection.tensors]
    return (*names, "tied") if has_ties else names, rows


def _row(each: Tensor, *, has_ties: bool) -> tuple[Cell, ...]:
    shown = (
        named(each.name),
        str(each.shape),
        each.dtype,
        str(each.stride),
        format_bytes(each.bytes).replace(" ", "\xa0"),
        each.device,
    )
    return (*shown, ", ".join(each.tied_with[:4]) or "—") if has_ties else shown


def named(name: str) -> str:
    """The name of a tensor; a file that is one tensor has none for it."""
    return name or say("xray.whole")


def entries(inspection: Inspection) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """What the file is made of."""
    return ("entry", "bytes"), [(each.name, f"{each.bytes:,}") for each in inspection.entries]


def metadata(inspection: Inspection) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """The texts that the file carries about itself."""
    return ("name", "text"), list(inspection.metadata)


def tree(inspection: Inspection) -> str:
    """The structure as indented plain text."""
    if inspection.structure is None:
        return ""
    shapes = {each.path: each for each in inspection.tensors}
    lines: list[str] = []
    for node, depth in _walk(inspection.structure.root, 0):
        if len(lines) == MOST_LINES:
            lines.append("…")
            break
        lines.append("  " * depth + _line(node, shapes.get(node.path)))
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


TABLES = {"tensors": tensors, "entries": entries, "metadata": metadata}
