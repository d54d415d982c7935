"""The network as a list: one row for each node, what goes into it, and what comes out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from playground.modules.forward_trace import ForwardTrace, Shape, TraceRow
from playground.modules.layer_types import LayerType
from playground.modules.spec import Block, Layer, Node, Shared, Value
from playground.modules.spec.edit import Address
from ui.builder.bench import Bench
from ui.words import say

SHEET = Path(__file__).with_name("builder.css")
MARKED = "\\`*_{}[]()<>#$:~|"
MOST_SHOWN = 46  # characters of a layer's arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One visible node.

    Attributes:
        paths: Its name in torch; one for each copy.
    """

    address: Address
    node: Node
    paths: tuple[str, ...]

    @property
    def id(self) -> str:
        """Its address as letters: part of keys and of class names."""
        return "-".join(map(str, self.address))


def visible_rows(bench: Bench) -> tuple[Row, ...]:
    """All nodes but those in blocks that are folded up."""
    rows: list[Row] = []

    def collect(block: Block, address: Address, prefix: str) -> None:
        for index, (child, names) in enumerate(zip(block.children, block.names(), strict=True)):
            paths = tuple(f"{prefix}{name}" for name in names)
            row = Row(address=(*address, index), node=child, paths=paths)
            rows.append(row)
            if isinstance(child, Block) and child not in bench.desk.closed:
                collect(child, row.address, f"{paths[0]}.")

    collect(bench.root, (), "")
    return tuple(rows)


def draw(bench: Bench, row: Row, known: Mapping[str, LayerType], trace: ForwardTrace) -> None:
    """Draw a row: press it to see its arguments."""
    key = bench.card.key
    with st.container(key=key(f"row-{row.id}"), horizontal=True, gap=None):
        if isinstance(row.node, Block):
            is_closed = row.node in bench.desk.closed
            st.button(
                say("builder.open" if is_closed else "builder.close"),
                icon=f":material/{'chevron_right' if is_closed else 'expand_more'}:",
                key=key(f"fold-{row.id}"),
                type="tertiary",
                on_click=bench.fold,
                args=(row.address,),
            )
        st.button(
            _label(row, known, trace),
            key=key(f"pick-{row.id}"),
            width="stretch",
            on_click=bench.select,
            args=(row.address,),
        )


def style(bench: Bench, rows: Sequence[Row], trace: ForwardTrace) -> None:
    """Show by a style how deep each row stands, which is selected, and where the network fails."""
    prefix = bench.card.key("row-")
    rules = []
    has_failed = False
    for row in rows:
        name = f".st-key-{prefix}{row.id}"
        depth = len(row.address) - 1
        if depth:
            rules.append(f"{name} {{ padding-left: {depth * 1.1:g}rem; }}")
        if row.address == bench.selected:
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
    """Whether the forward stopped here, and not further inside a block that is open."""
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
    label = f":gray[{escaped(name)}] {_written(row.node, known)}{times}"
    shape = shape_after(row.paths, trace)
    return f"{label} `{shape}`" if shape else label


def _written(node: Node, known: Mapping[str, LayerType]) -> str:
    match node:
        case Block():
            return f"**{escaped(say(f'builder.kind-{node.kind.value}'))}**"
        case Shared():
            return f"**↻ {escaped(say('builder.again', path=node.of))}**"
        case Layer():
            return f"**{escaped(node.type)}**{escaped(f'({arguments_of(node, known)})')}"


def arguments_of(node: Layer, known: Mapping[str, LayerType]) -> str:
    """A layer's arguments as a call has them: what must be given by its place alone."""
    kind = known.get(node.type)
    required = [argument.name for argument in kind.required] if kind else []
    parts, is_in_order = [], True
    for index, (name, value) in enumerate(node.arguments):
        is_in_order &= index < len(required) and required[index] == name
        parts.append(written(value) if is_in_order else f"{name}={written(value)}")
    whole = ", ".join(parts)
    return whole if len(whole) <= MOST_SHOWN else whole[: MOST_SHOWN - 1] + "…"


def written(value: Value) -> str:
    """A value as Python writes it; a layer among the arguments as a call."""
    match value:
        case (str(type), tuple(pairs)) if all(isinstance(pair, tuple) for pair in pairs):
            return f"{type}(…)" if pairs else f"{type}()"
    return repr(value)


def shape_after(paths: Sequence[str], trace: ForwardTrace) -> str:
    """What comes out of the last copy of a node, as torch writes a shape; empty for nothing."""
    row = last_call(paths[-1], trace)
    return ", ".join(map(shape_text, row.output_shapes[:1])) if row else ""


def last_call(path: str, trace: ForwardTrace) -> TraceRow | None:
    """The last call of a module."""
    return next((row for row in reversed(trace.rows) if row.path == path), None)


def shape_text(shape: Shape) -> str:
    """A shape as torch writes it.

    >>> shape_text((2, 256))
    '(2, 256)'
    """
    return str(tuple(shape))


def escaped(text: str) -> str:
    r"""A text in which Markdown finds nothing to do, for buttons: elsewhere ``as_code``.

    >>> escaped("batch_first")
    'batch\\_first'
    """
    return "".join(f"\\{letter}" if letter in MARKED else letter for letter in text)
