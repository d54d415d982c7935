"""The builder below the program of its step: controls left, PyTorch's answer right."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground import catalog, compute
from playground.errors import InvalidSpecError
from playground.modules.layer_types import LayerType
from playground.modules.spec import Network
from playground.modules.spec.link import to_link
from playground.modules.spec.presets import BUILDER_PRESETS, PRESETS
from playground.modules.trace_types import ForwardTrace
from playground.steps import Answer, Step
from ui import error_page
from ui.builder import input_control, inspector, layer_list, toolbar
from ui.builder.editor import Card, NetworkEditor
from ui.builder.result import draw_details, draw_fix
from ui.language import current_language, say
from ui.url_state import BUILDER_PARAMETER

SIDES = (5, 7)
SKIPPED = "skipped"  # as the panel notes a program that was run without a prediction
FIELD, START = "network", "start"


class State(Protocol):
    """The state of the builder's step; an edit gives it other settings."""

    step: Step
    said: dict[Step, str]


def follow_old_link() -> None:
    """Open the builder's step for an older link, which had a parameter of its own."""
    if link := st.query_params.get(BUILDER_PARAMETER):
        del st.query_params[BUILDER_PARAMETER]
        st.query_params["step"] = "build"
        st.query_params[FIELD] = link


def draw(name: str, state: State, words: catalog.StepWords, answer: Answer | None) -> None:
    """Draw the builder.

    Args:
        name: Prefix of the widgets' keys.
        state: The step's state; its fields are ``network`` and ``start``.
        words: The words of the step.
        answer: None before it is shown.
    """
    step: Any = state.step
    kind: Any = type(step)
    language = current_language()

    def run(network: Network) -> ForwardTrace:
        trace: ForwardTrace = compute.run(with_network(step, network)).data.trace
        return trace

    def adopt(network: Network) -> None:
        state.step = with_network(state.step, network)
        if state.said:  # the question was answered before: an edit does not ask it again
            state.said.setdefault(state.step, SKIPPED)

    left, right = st.columns(SIDES, gap="medium")
    card = Card(
        name,
        {each: text.said(language) for each, text in words.labels.items()},
        {each: text.said(language) for each, text in words.options[START].items()},
        left,
        right,
    )
    try:
        trace = run(step.spec)
    except InvalidSpecError as error:  # a link to what cannot be built
        state.step = default = kind()
        state.said.pop(step, None)
        if FIELD in st.query_params:
            del st.query_params[FIELD]
        editor = NetworkEditor(card, BUILDER_PRESETS, default.spec, run, adopt)
        editor.refuse(error)
        st.rerun()
    editor = NetworkEditor(card, BUILDER_PRESETS, step.spec, run, adopt)
    draw_controls(editor, compute.run(kind.layers()), trace)
    if answer is not None:
        draw_fix(editor, trace)
        draw_details(editor, answer.data, step.program_as_class())


def with_network(step: Any, network: Network) -> Step:
    """Return the settings with a network; a ready-made one is set by its name.

    Raises:
        InvalidSpecError: It is too long for a link.
    """
    ready = next((name for name, each in BUILDER_PRESETS.items() if each == network), None)
    values = (
        {START: ready, FIELD: ""}
        if ready
        else {FIELD: to_link(network), START: next(iter(PRESETS))}
    )
    changed: Step = type(step).of(values)
    return changed


def draw_controls(editor: NetworkEditor, layers: Sequence[LayerType], trace: ForwardTrace) -> None:
    """Draw the controls that change the network.

    Args:
        editor: Holds the network.
        layers: The layers that may be added.
        trace: Of the network; each layer shows its output shape.
    """
    left = editor.card.left
    known = {each.name: each for each in layers}
    toolbar.draw(editor, left)
    _draw_notice(editor, left)
    input_control.draw(editor, left)
    _draw_layers(editor, left, known, trace)
    layer_list.draw_search(editor, left, layers)


def _draw_layers(
    editor: NetworkEditor, left: DeltaGenerator, known: Mapping[str, LayerType], trace: ForwardTrace
) -> None:
    with left.container(key=editor.card.key("builder-layers"), gap=None):
        rows = layer_list.visible_rows(editor)
        layer_list.draw_style(editor, rows, trace)
        for row in rows:
            layer_list.draw_row(editor, row, known, trace)
            if row.address == editor.selected:
                inspector.draw(editor, row, known)
        if not rows:
            st.caption(say("builder.empty"))
        layer_list.enable_dragging(editor)


def _draw_notice(editor: NetworkEditor, left: DeltaGenerator) -> None:
    notice = editor.history.notice
    if notice is not None:
        why = error_page.sentence(notice.error, editor.card.words) if notice.error else ""
        before = say(f"builder.{notice.words}", **dict(notice.values)) if notice.words else ""
        left.warning(f"{before} {why}".strip())
