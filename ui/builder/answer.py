"""PyTorch's side of the builder: where it fails and what mends it, table, tree, code."""

from typing import Protocol

import streamlit as st

from playground.modules.forward_trace import ForwardTrace, Suggestion, TraceRow
from playground.modules.spec import Layer, Shared, edit
from ui import answer_view
from ui.builder import onward
from ui.builder.bench import Bench
from ui.builder.repair import cure, mended, place_of
from ui.builder.tree import Module, module_tree
from ui.lab import opening
from ui.quoting import quote_markdown
from ui.words import say

MOST_ROWS = 120


class Built(Protocol):
    """A network that was built."""

    @property
    def trace(self) -> ForwardTrace:
        """What became of it."""

    @property
    def modules(self) -> tuple[Module, ...]:
        """What it is made of."""


def show_mend(bench: Bench, trace: ForwardTrace) -> None:
    """Where a network stops, show what would mend it, with a button that does."""
    advice = cure(bench.root, trace)
    if trace.outcome.ok or advice is None:
        return
    before, after = _lines(bench, advice)
    if not after:
        return
    right = bench.card.right
    lines = [*(f"- {line}" for line in before.split("\n") if line), f"+ {after}"]
    right.code("\n".join(lines), language="diff", wrap_lines=True)
    right.button(
        say("builder.apply"),
        key=bench.card.key("apply"),
        type="primary",
        on_click=apply,
        args=(bench, advice),
    )


def apply(bench: Bench, advice: Suggestion) -> None:
    """Put a suggestion into effect, and select the layer that it is about."""
    place = place_of(bench.root, advice.path)
    bench.change(lambda root: mended(root, advice), place)


def _lines(bench: Bench, advice: Suggestion) -> tuple[str, str]:
    """The layer as it is written now, and as it should be; or only what is to be put before it."""
    place = place_of(bench.root, advice.path)
    if place is None:
        return "", ""
    try:
        better = mended(bench.root, advice)
    except (IndexError, ValueError):
        return "", ""
    if advice.insert is not None:
        return "", f"nn.{advice.insert}()"
    node, changed = edit.node_at(bench.root, place), edit.node_at(better, place)
    if isinstance(node, Shared):
        place = place_of(bench.root, node.of) or place
        node, changed = edit.node_at(bench.root, place), edit.node_at(better, place)
    if not isinstance(node, Layer) or not isinstance(changed, Layer):
        return "", ""
    return _call(node), _call(changed)


def _call(node: Layer) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in node.arguments)
    return f"nn.{node.type}({given})"


def show_details(bench: Bench, built: Built, as_class: str) -> None:
    """Show the trace as a table, the modules as a tree, and the class, a tab for each."""
    right, key = bench.card.right, bench.card.key
    table, tree, own_class = right.tabs(
        [say(f"builder.tab-{name}") for name in ("table", "tree", "class")],
        key=key("tabs"),
    )
    with table, st.container(key=key("builder-table")):
        show_trace(built.trace)
    with tree, st.container(key=key("builder-tree")):
        st.mermaid_chart(module_tree(built.modules), alt=say("builder.tree-alt"))
    with own_class:
        st.code(as_class, language="python", wrap_lines=True)
        opening.offer(own_class, as_class)
    onward.draw(bench, right)


def show_trace(trace: ForwardTrace) -> None:
    """Show the calls as a table, and what is shared."""
    columns = tuple(
        say(f"builder.column-{name}") for name in ("path", "type", "output", "parameters", "adds")
    )
    rows = tuple(map(_cells, trace.rows[:MOST_ROWS]))
    st.html(answer_view.table(columns, rows))
    told = [
        say("builder.tied", paths=" = ".join(f"`{path}`" for path in group.paths))
        for group in trace.tie_groups
    ]
    if len(trace.rows) > MOST_ROWS:
        told.append(say("builder.more-rows", count=len(trace.rows) - MOST_ROWS))
    for line in told:  # no Markdown: a name may be anybody's
        st.html(f'<div class="tp-muted">{quote_markdown(line)}</div>')


def _cells(row: TraceRow) -> tuple[str | int | None, ...]:
    shapes = ", ".join(map(str, row.output_shapes))
    again = f" ↻ {row.call}" if row.calls > 1 else ""
    tied = f" {say('builder.is-tied')}" if row.ties else ""
    return (
        row.path or "net",
        f"{row.type_name}{again}",
        shapes if row.has_returned else "✗",
        f"{row.total_parameters:,}{tied}" if row.total_parameters else "",
        f"{row.multiply_adds:,}" if row.multiply_adds else "",
    )
