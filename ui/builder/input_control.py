"""The controls of the network's input: its shape, and numbers or tokens."""

import re
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.errors import InvalidSpecError
from playground.modules.spec import InputSpec, Network
from playground.modules.spec.network import MAX_TOKENS, InputKind
from ui.builder.editor import NetworkEditor, set_control
from ui.html_escape import as_code
from ui.language import say

BETWEEN = re.compile(r"[\s,;×x]+")
SIZE = re.compile(r"[0-9]{1,9}")


def draw(editor: NetworkEditor, left: DeltaGenerator) -> None:
    """Draw the controls of the first input; further inputs stay as they are."""
    key = editor.card.key
    given = editor.network.input[0]
    set_control(key("shape"), ", ".join(map(str, given.shape)) or "()")
    set_control(key("dtype"), given.kind.value)
    with left.container(horizontal=True, key=key("builder-entrance"), vertical_alignment="bottom"):
        more: dict[str, Any] = {"on_change": _take, "args": (editor,)}
        st.text_input(
            say("builder.shape"),
            max_chars=60,
            key=key("shape"),
            help=say("builder.shape-help"),
            **more,
        )
        st.segmented_control(
            say("builder.dtype"),
            [kind.value for kind in InputKind],
            format_func=lambda kind: say(f"builder.dtype-{kind}"),
            key=key("dtype"),
            required=True,
            **more,
        )
        if given.kind is InputKind.TOKENS:
            set_control(key("below"), given.below)
            st.number_input(say("builder.below"), 1, MAX_TOKENS, key=key("below"), **more)
    count = len(editor.network.input)
    if count > 1:
        left.button(
            say("builder.one-input", count=count),
            key=key("one-input"),
            on_click=_keep_first,
            args=(editor,),
        )


def _take(editor: NetworkEditor) -> None:
    key = editor.card.key
    old = editor.network.input[0]
    below = st.session_state.get(key("below")) or old.below
    text = str(st.session_state[key("shape")] or "").strip()
    sizes = sizes_in(text)
    if sizes is None:
        editor.refuse(None, "no-shape", given=as_code(text))
        return
    try:
        kind = InputKind(st.session_state[key("dtype")] or old.kind)
        first = InputSpec(sizes, kind, int(below))
        network = Network(editor.network.block, (first, *editor.network.input[1:]))
    except InvalidSpecError as error:
        editor.refuse(error)
    else:
        editor.load(network)


def _keep_first(editor: NetworkEditor) -> None:
    editor.load(Network(editor.network.block, editor.network.input[:1]))


def sizes_in(text: str) -> tuple[int, ...] | None:
    """Parse a shape; None if the text is not one.

    >>> sizes_in("2, 20"), sizes_in("(2, 20)"), sizes_in("2×20"), sizes_in("()"), sizes_in("2, -3")
    ((2, 20), (2, 20), (2, 20), (), None)
    """
    parts = [part for part in BETWEEN.split(text.strip("()[] ")) if part]
    if not text or not all(map(SIZE.fullmatch, parts)):
        return None
    return tuple(map(int, parts))
