"""PyTorch's answer to a network: the suggested fix, the trace, the module tree, the class."""

from collections.abc import Sequence
from typing import Protocol

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground import catalog
from playground.errors import InvalidSpecError
from playground.modules.spec import Layer, Shared, edit
from playground.modules.spec.link import to_link
from playground.modules.trace_types import ForwardTrace, Suggestion, TraceRow
from ui import answer_html
from ui.builder.apply_fix import address_of, suggested_fix, with_fix
from ui.builder.editor import NetworkEditor
from ui.html_escape import inline_to_html
from ui.lab import url_state
from ui.language import current_language, say
from ui.navigation import page_of
from ui.url_state import NETWORK

MAX_ROWS = 120
CHAPTERS = ("parameters", "files")  # all their lessons take a network in their address
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


class BuiltNetwork(Protocol):
    """A network that was built."""

    @property
    def trace(self) -> ForwardTrace:
        """Its forward trace."""

    @property
    def modules(self) -> tuple[Module, ...]:
        """Its modules, outer ones first."""


def draw_fix(editor: NetworkEditor, trace: ForwardTrace) -> None:
    """Draw the suggested fix of a network that fails, and a button that applies it."""
    advice = suggested_fix(editor.root, trace)
    if trace.outcome.ok or advice is None:
        return
    before, after = _fix_lines(editor, advice)
    if not after:
        return
    right = editor.card.right
    lines = [*(f"- {line}" for line in before.split("\n") if line), f"+ {after}"]
    right.code("\n".join(lines), language="diff", wrap_lines=True)
    right.button(
        say("builder.apply"),
        key=editor.card.key("apply"),
        type="primary",
        on_click=apply,
        args=(editor, advice),
    )


def apply(editor: NetworkEditor, advice: Suggestion) -> None:
    """Apply a suggestion, and select its layer."""
    place = address_of(editor.root, advice.path)
    editor.change(lambda root: with_fix(root, advice), place)


def _fix_lines(editor: NetworkEditor, advice: Suggestion) -> tuple[str, str]:
    """Return the layer's code before and after the fix, or only the layer to insert."""
    place = address_of(editor.root, advice.path)
    if place is None:
        return "", ""
    try:
        better = with_fix(editor.root, advice)
    except (IndexError, ValueError):
        return "", ""
    if advice.insert is not None:
        return "", f"nn.{advice.insert}()"
    node, changed = edit.node_at(editor.root, place), edit.node_at(better, place)
    if isinstance(node, Shared):
        place = address_of(editor.root, node.of) or place
        node, changed = edit.node_at(editor.root, place), edit.node_at(better, place)
    if not isinstance(node, Layer) or not isinstance(changed, Layer):
        return "", ""
    return _call_text(node), _call_text(changed)


def _call_text(node: Layer) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in node.arguments)
    return f"nn.{node.type}({given})"


def draw_details(editor: NetworkEditor, built: BuiltNetwork, as_class: str) -> None:
    """Draw the trace, the module tree and the class in tabs."""
    right, key = editor.card.right, editor.card.key
    table, tree, own_class = right.tabs(
        [say(f"builder.tab-{name}") for name in ("table", "tree", "class")],
        key=key("tabs"),
    )
    with table, st.container(key=key("builder-table")):
        draw_trace(built.trace)
    with tree, st.container(key=key("builder-tree")):
        st.mermaid_chart(module_tree(built.modules), alt=say("builder.tree-alt"))
    with own_class:
        st.code(as_class, language="python", wrap_lines=True)
        url_state.draw_lab_link(own_class, as_class)
    draw_lesson_links(editor, right)


def draw_trace(trace: ForwardTrace) -> None:
    """Draw the calls as a table, and the shared parameters."""
    columns = tuple(
        say(f"builder.column-{name}") for name in ("path", "type", "output", "parameters", "adds")
    )
    rows = tuple(map(_cells, trace.rows[:MAX_ROWS]))
    st.html(answer_html.table(columns, rows))
    notes = [
        say("builder.tied", paths=" = ".join(f"`{path}`" for path in group.paths))
        for group in trace.tie_groups
    ]
    if len(trace.rows) > MAX_ROWS:
        notes.append(say("builder.more-rows", count=len(trace.rows) - MAX_ROWS))
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


def draw_lesson_links(editor: NetworkEditor, right: DeltaGenerator) -> None:
    """Draw links that open this network in other lessons, unless it is too long for a link."""
    lessons = [each for each in catalog.lessons() if each.chapter in CHAPTERS]
    try:
        link = to_link(editor.network)
    except InvalidSpecError:
        return
    if not lessons:
        return
    language = current_language()
    with right.container(key=editor.card.key("builder-lesson-links"), gap="xsmall"):
        st.caption(say("builder.lesson-links"))
        with st.container(horizontal=True, gap="small"):
            for lesson in lessons:
                st.page_link(
                    page_of(lesson),
                    label=lesson.title.said(language),
                    icon=lesson.icon,
                    width="content",
                    query_params={NETWORK: link},
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
