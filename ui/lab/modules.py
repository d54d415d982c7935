"""A network made by a program: its trace, its module tree, and the check of its gradients."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import streamlit as st

from playground.modules.trace_types import ForwardTrace, TraceRow, WarningKind
from playground.sandbox.module_report import GradientVerdict, ModuleReport, ParameterRow
from ui import html_markup
from ui.html_markup import inline_to_html
from ui.language import say

MAX_NODES = 90  # of the tree; further ones are omitted
UNSAFE = re.compile(r"[^\w.\[\]' -]")  # a stranger's name may hold Mermaid's syntax
HIDDEN = frozenset({WarningKind.HIDDEN_MODULE, WarningKind.HIDDEN_TENSOR})


@dataclass(frozen=True, slots=True)
class Node:
    """One module of the tree."""

    path: str
    type_name: str
    own_parameters: int | None = None


def draw(module: ModuleReport, number: int) -> None:
    """Draw the report of a module.

    Args:
        module: The report.
        number: Its index among the program's modules.
    """
    title = module.type_name if module.name == module.type_name else None
    named = title or say("lab.module-of", name=module.name, type=module.type_name)
    st.html(html_markup.heading(named))
    _draw_summary(module)
    names = ["trace", "tree", "gradients"] if module.trace else ["gradients"]
    if not module.parameters:
        names.remove("gradients")
    if not names:
        return
    tabs = st.tabs([say(f"lab.tab-{name}") for name in names], key=f"lab-module-{number}")
    for name, tab in zip(names, tabs, strict=True):
        with tab:
            if name == "gradients":
                _draw_parameters(module)
            elif module.trace and name == "trace":
                draw_trace(module.trace, module.rows_left_out)
            elif module.trace:
                st.mermaid_chart(module_tree(nodes(module.trace)), alt=say("builder.tree-alt"))


def _draw_summary(module: ModuleReport) -> None:
    notes = [say("lab.total", count=f"{module.total_parameters:,}")]
    if module.input_origin:
        notes.append(say(f"lab.origin-{module.input_origin}"))
    st.caption(" · ".join(notes))
    if module.missing:
        st.caption(say(f"lab.missing-{module.missing}"))
    trace = module.trace
    if trace is None:
        return
    if not trace.outcome.ok:
        st.html(html_markup.outcome(trace.outcome, "", "", ""))
    hidden = [each for each in trace.warnings if each.kind in HIDDEN]
    for each in hidden:
        st.html(
            html_markup.explanation(say(f"lab.{each.kind}", path=f"`{UNSAFE.sub('·', each.path)}`"))
        )


def draw_trace(trace: ForwardTrace, rows_left_out: int) -> None:
    """Draw the calls as a table, and the shared parameters."""
    columns = tuple(
        say(f"builder.column-{name}") for name in ("path", "type", "output", "parameters", "adds")
    )
    st.html(html_markup.table(columns, tuple(map(_call_cells, trace.rows))))
    notes = [
        say("builder.tied", paths=" = ".join(f"`{path}`" for path in group.paths))
        for group in trace.tie_groups
    ]
    if rows_left_out:
        notes.append(say("builder.more-rows", count=rows_left_out))
    for line in notes:  # no Markdown: a name may be anybody's
        st.html(f'<div class="tp-muted">{inline_to_html(line)}</div>')


def _call_cells(row: TraceRow) -> tuple[str | None, ...]:
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


def _draw_parameters(module: ModuleReport) -> None:
    if module.gradient_missing:
        st.caption(say(f"lab.missing-{module.gradient_missing}"))
    else:
        st.caption(say("lab.gradients-note"))
    columns = [say(f"lab.column-{name}") for name in ("name", "shape", "device", "verdict")]
    is_checked = any(row.verdict is not GradientVerdict.NOT_CHECKED for row in module.parameters)
    rows = tuple(_parameter_cells(row)[: None if is_checked else 3] for row in module.parameters)
    st.html(html_markup.table(tuple(columns[: None if is_checked else 3]), rows))
    if module.parameters_left_out:
        st.caption(say("lab.more-parameters", count=module.parameters_left_out))


def _parameter_cells(row: ParameterRow) -> tuple[str | None, ...]:
    sign = "✓ " if row.verdict is GradientVerdict.MATCHES else ""
    verdict = f"{sign}{say(f'lab.gradient-{row.verdict}')}"
    if row.gradient is None or row.difference is None:  # not finite
        return row.name, str(row.shape), row.device, verdict
    if row.verdict is GradientVerdict.DIFFERS:
        verdict += f": {row.gradient:.6g} ≠ {row.difference:.6g}"
    return row.name, str(row.shape), row.device, verdict


def nodes(trace: ForwardTrace) -> Iterator[Node]:
    """Yield the modules of a trace as a tree; one that is never called has only a name."""
    known: set[str] = set()
    for row in trace.rows:
        whole = UNSAFE.sub("·", row.path)
        if whole in known:
            continue
        parts = whole.split(".") if whole else []
        for count in range(1, len(parts)):
            path = ".".join(parts[:count])
            if path not in known:
                known.add(path)
                yield Node(path, "…")
        known.add(whole)
        yield Node(whole, UNSAFE.sub("·", row.type_name), row.own_parameters)


def module_tree(tree: Iterable[Node]) -> str:
    """Return a Mermaid chart of modules, outer ones before inner ones."""
    numbers: dict[str, int] = {}
    lines = ["flowchart LR"]
    for node in tree:
        parent, _, name = node.path.rpartition(".")
        if len(numbers) == MAX_NODES or (node.path and parent not in numbers):
            continue
        number = numbers[node.path] = len(numbers)
        box = f'(["{node.type_name}"])'
        if node.own_parameters:
            box = f'["{node.type_name}<br/>{node.own_parameters:,}"]'
        lines.append(f"  m{number}{box}")
        if node.path:
            lines.append(f'  m{numbers[parent]} -- "{name}" --> m{number}')
    return "\n".join(lines)
