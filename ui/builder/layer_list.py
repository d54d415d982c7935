"""The list of layers: one row per node with its output shape, dragging, and adding a layer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.modules.layer_types import LayerType, grouped
from playground.modules.spec import Block, Layer, Node, Shared, Value, edit
from playground.modules.spec.edit import Address
from playground.modules.trace_types import ForwardTrace, Shape, TraceRow
from ui.builder.editor import NetworkEditor
from ui.language import say
from ui.streamlit_internals import register_component

SHEET = Path(__file__).with_name("builder.css")
MARKED = "\\`*_{}[]()<>#$:~|"
MAX_ARGUMENTS_LENGTH = 46  # characters of a layer's arguments
USUAL = ("Linear", "ReLU", "Conv2d", "MaxPool2d", "Flatten", "Dropout")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One visible node.

    Attributes:
        paths: Its names in PyTorch, one for each copy.
    """

    address: Address
    node: Node
    paths: tuple[str, ...]

    @property
    def id(self) -> str:
        """Its address as letters: part of keys and of class names."""
        return "-".join(map(str, self.address))


def visible_rows(editor: NetworkEditor) -> tuple[Row, ...]:
    """Return all nodes except those in folded blocks."""
    rows: list[Row] = []

    def collect(block: Block, address: Address, prefix: str) -> None:
        for index, (child, names) in enumerate(zip(block.children, block.names(), strict=True)):
            paths = tuple(f"{prefix}{name}" for name in names)
            row = Row(address=(*address, index), node=child, paths=paths)
            rows.append(row)
            if isinstance(child, Block) and child not in editor.history.closed:
                collect(child, row.address, f"{paths[0]}.")

    collect(editor.root, (), "")
    return tuple(rows)


def draw_row(
    editor: NetworkEditor, row: Row, known: Mapping[str, LayerType], trace: ForwardTrace
) -> None:
    """Draw a row; a click selects it."""
    key = editor.card.key
    with st.container(key=key(f"row-{row.id}"), horizontal=True, gap=None):
        if isinstance(row.node, Block):
            is_closed = row.node in editor.history.closed
            st.button(
                say("builder.open" if is_closed else "builder.close"),
                icon=f":material/{'chevron_right' if is_closed else 'expand_more'}:",
                key=key(f"fold-{row.id}"),
                type="tertiary",
                on_click=editor.fold,
                args=(row.address,),
            )
        st.button(
            _label(row, known, trace),
            key=key(f"pick-{row.id}"),
            width="stretch",
            on_click=editor.select,
            args=(row.address,),
        )


def draw_style(editor: NetworkEditor, rows: Sequence[Row], trace: ForwardTrace) -> None:
    """Draw the style sheet that indents rows and marks the selected and the failing one."""
    prefix = editor.card.key("row-")
    rules = []
    has_failed = False
    for row in rows:
        name = f".st-key-{prefix}{row.id}"
        depth = len(row.address) - 1
        if depth:
            rules.append(f"{name} {{ padding-left: {depth * 1.1:g}rem; }}")
        if row.address == editor.selected:
            rules.append(f"{name} {{ --row: var(--tp-accent); }}")
        if is_failing(row, trace):
            has_failed = True
            rules.append(f"{name} {{ --row: var(--tp-trouble); --mark: '✗'; --mark-opacity: 1; }}")
        elif has_failed and not _reached(row, trace):
            rules.append(f"{name} button {{ opacity: .62; }}")
    st.html(f"<style>{_sheet()}</style>")
    st.html(f"<style>{' '.join(rules)}</style>")


@cache
def _sheet() -> str:
    return SHEET.read_text("utf-8")


def is_failing(row: Row, trace: ForwardTrace) -> bool:
    """Return whether the forward pass failed at this row, and not inside its open block."""
    failed = trace.failed_at
    if not failed:
        return False
    if isinstance(row.node, Block):
        return failed in row.paths
    return any(failed == path or failed.startswith(f"{path}.") for path in row.paths)


def _reached(row: Row, trace: ForwardTrace) -> bool:
    return any(each.path in row.paths for each in trace.rows)


def _label(row: Row, known: Mapping[str, LayerType], trace: ForwardTrace) -> str:
    name = row.paths[0].rpartition(".")[2]
    times = f"\u00a0×\u00a0{row.node.times}" if row.node.times > 1 else ""
    label = f":gray[{escaped(name)}] {_node_text(row.node, known)}{times}"
    shape = shape_after(row.paths, trace)
    return f"{label} `{shape}`" if shape else label


def _node_text(node: Node, known: Mapping[str, LayerType]) -> str:
    match node:
        case Block():
            return f"**{escaped(say(f'builder.kind-{node.kind.value}'))}**"
        case Shared():
            return f"**↻ {escaped(say('builder.again', path=node.of))}**"
        case Layer():
            return f"**{escaped(node.type)}**{escaped(f'({arguments_of(node, known)})')}"


def arguments_of(node: Layer, known: Mapping[str, LayerType]) -> str:
    """Format a layer's arguments as in a call; required ones are positional."""
    kind = known.get(node.type)
    required = [argument.name for argument in kind.required] if kind else []
    parts, is_in_order = [], True
    for index, (name, value) in enumerate(node.arguments):
        is_in_order &= index < len(required) and required[index] == name
        parts.append(value_text(value) if is_in_order else f"{name}={value_text(value)}")
    whole = ", ".join(parts)
    return whole if len(whole) <= MAX_ARGUMENTS_LENGTH else whole[: MAX_ARGUMENTS_LENGTH - 1] + "…"


def value_text(value: Value) -> str:
    """Format a value as Python code; a layer among the arguments as a call."""
    match value:
        case (str(type), tuple(pairs)) if all(isinstance(pair, tuple) for pair in pairs):
            return f"{type}(…)" if pairs else f"{type}()"
    return repr(value)


def shape_after(paths: Sequence[str], trace: ForwardTrace) -> str:
    """Format the output shape of a node's last copy; empty if there is none."""
    row = last_call(paths[-1], trace)
    return ", ".join(map(shape_text, row.output_shapes[:1])) if row else ""


def last_call(path: str, trace: ForwardTrace) -> TraceRow | None:
    """Return the last call of a module."""
    return next((row for row in reversed(trace.rows) if row.path == path), None)


def shape_text(shape: Shape) -> str:
    """Format a shape as PyTorch does.

    >>> shape_text((2, 256))
    '(2, 256)'
    """
    return str(tuple(shape))


def escaped(text: str) -> str:
    r"""Escape a text for Markdown in labels of buttons; elsewhere use ``as_code``.

    >>> escaped("batch_first")
    'batch\\_first'
    """
    return "".join(f"\\{letter}" if letter in MARKED else letter for letter in text)


def draw_search(editor: NetworkEditor, left: DeltaGenerator, layers: Sequence[LayerType]) -> None:
    """Draw the search field for all layers, and buttons for common ones."""
    key = editor.card.key
    known = {
        each.name: each for row in grouped(layers).values() for each in row if not each.is_container
    }
    with left.container(key=key("builder-adding"), gap="xsmall"):
        st.selectbox(
            say("builder.add"),
            tuple(known),
            index=None,
            format_func=lambda name: f"{name} · {say(f'builder.group-{known[name].group.value}')}",
            key=_search_key(editor),
            placeholder=say("builder.search", count=len(known)),
            on_change=_add_searched,
            args=(editor, known),
        )
        with st.container(horizontal=True, key=key("builder-usual"), gap="xxsmall"):
            for name in filter(known.__contains__, USUAL):
                st.button(name, key=key(f"add-{name}"), on_click=_add, args=(editor, known[name]))


def _search_key(editor: NetworkEditor) -> str:
    return editor.card.key(f"search-{editor.history.searches}")


def _add_searched(editor: NetworkEditor, known: dict[str, LayerType]) -> None:
    """Add the layer that was chosen, and go on with an empty field.

    The field is a new one: on a slow computer, Streamlit's sends its choice twice, and a field that
    was only emptied would add the layer twice.
    """
    name = st.session_state[_search_key(editor)]
    editor.history.searches += 1
    if name in known:
        _add(editor, known[name])


def _add(editor: NetworkEditor, kind: LayerType) -> None:
    """Insert a layer after the selected one, or at the end of the selected block."""
    place = _insertion_address(editor)
    layer = Layer(kind.name, kind.example_arguments)
    editor.history.fitting = place
    editor.change(lambda root: edit.insert(root, place, layer), place)


def _insertion_address(editor: NetworkEditor) -> Address:
    chosen = editor.selected
    if chosen is None:
        return (len(editor.root.children),)
    node = edit.node_at(editor.root, chosen)
    if isinstance(node, Block) and node not in editor.history.closed:
        return (*chosen, len(node.children))
    return (*chosen[:-1], chosen[-1] + 1)


def enable_dragging(editor: NetworkEditor) -> None:
    """Let the rows be dragged."""
    key = editor.card.key("builder-drag")
    mount = register_component(
        "builder", "drag", Path(__file__).parent, js="drag.js", isolate_styles=True
    )
    mount(
        key=key,
        data={"prefix": editor.card.key("row-"), "search": _search_key(editor)},
        height=0,
        on_moved_change=lambda: _take_move(editor, key),
    )


def _take_move(editor: NetworkEditor, key: str) -> None:
    moved = st.session_state[key].get("moved")
    if moved:
        move_row(editor, str(moved["from"]), str(moved["to"]), is_after=bool(moved["after"]))


def move_row(editor: NetworkEditor, start: str, target: str, *, is_after: bool) -> None:
    """Move a row before or after another; after an open block means to its beginning."""
    try:
        source, place = _parse_address(start), _parse_address(target)
        node = edit.node_at(editor.root, place)
        if is_after:
            is_open = isinstance(node, Block) and node not in editor.history.closed
            place = (*place, 0) if is_open else (*place[:-1], place[-1] + 1)
        landed = edit.landing(source, place)
    except (IndexError, ValueError):
        return  # into itself, or from a page that was out of date
    editor.change(lambda root: edit.move(root, source, landed), landed)


def _parse_address(text: str) -> Address:
    return tuple(int(number) for number in text.split("-"))
