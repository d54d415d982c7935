"""A trace as a table, and the modules of a network as a tree."""

from collections.abc import Sequence
from typing import Protocol

import streamlit as st

from playground.modules.trace_types import ForwardTrace, TraceRow
from ui import answer_html
from ui.html_escape import inline_to_html
from ui.language import say

MAX_MODULES = 90
MERMAID_ESCAPES = {'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", "`": "#96;", "\\": "#92;"}


class Module(Protocol):
    """One module of a network."""

    @property
    def path(self) -> str:
        """Its path; empty for the network itself."""

    @property
    def type_name(self) -> str:
        """Its class."""

    @property
    def own_parameters(self) -> int | None:
        """How many values its own parameters hold."""

    @property
    def same_as(self) -> str:
        """The path under which the same module was found first."""


def draw_trace(trace: ForwardTrace, rows_left_out: int) -> None:
    """Draw the calls as a table, and the shared parameters."""
    columns = tuple(
        say(f"builder.column-{name}") for name in ("path", "type", "output", "parameters", "adds")
    )
    rows = tuple(map(_cells, trace.rows))
    st.html(answer_html.table(columns, rows))
    notes = [
        say("builder.tied", paths=" = ".join(f"`{path}`" for path in group.paths))
        for group in trace.tie_groups
    ]
    if rows_left_out:
        notes.append(say("builder.more-rows", count=rows_left_out))
    for line in notes:  # no Markdown: a name may be anybody's
        st.html(f'<div class="tp-muted">{inline_to_html(line)}</div>')


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


def module_tree(modules: Sequence[Module], most: int = MAX_MODULES) -> str:
    """Return a Mermaid chart of modules; a shared one is drawn once, with a line from each use.

    Args:
        modules: Outer modules before inner ones.
        most: Further modules are omitted.
    """
    numbers: dict[str, int] = {}
    lines = ["flowchart LR"]
    for module in modules:
        parent, _, name = module.path.rpartition(".")
        if module.path and parent not in numbers:
            continue
        if module.same_as in numbers and module.same_as:
            lines.append(
                f'  m{numbers[parent]} -. "{mermaid_text(name)}" .-> m{numbers[module.same_as]}'
            )
            continue
        if len(numbers) >= most:
            continue
        numbers[module.path] = len(numbers)
        lines.append(f"  m{numbers[module.path]}{_box(module)}")
        if module.path:
            lines.append(
                f'  m{numbers[parent]} -- "{mermaid_text(name)}" --> m{numbers[module.path]}'
            )
    return "\n".join(lines)


def _box(module: Module) -> str:
    label = mermaid_text(module.type_name)
    if module.own_parameters:
        return f'["{label}<br/>{module.own_parameters:,}"]'
    return f'(["{label}"])'


def mermaid_text(text: str) -> str:
    """Escape a text for Mermaid.

    >>> mermaid_text('a"<b>')
    'a#quot;#lt;b#gt;'
    """
    return "".join(MERMAID_ESCAPES.get(letter, letter) for letter in text)
