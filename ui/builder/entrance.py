"""What goes into the network: the shape, and whether it is numbers or tokens."""

import re
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.errors import InvalidSpecError
from playground.modules.spec import InputSpec, Network
from playground.modules.spec.network import MOST_TOKENS, InputKind
from ui.builder.bench import Bench
from ui.quoting import as_code
from ui.words import say

BETWEEN = re.compile(r"[\s,;×x]+")
SIZE = re.compile(r"[0-9]{1,9}")


def draw(bench: Bench, left: DeltaGenerator) -> None:
    """Draw the controls of the input; of several the first, the others stay as they are."""
    key = bench.card.key
    given = bench.network.input[0]
    _put(key("shape"), ", ".join(map(str, given.shape)) or "()")
    _put(key("dtype"), given.kind.value)
    with left.container(horizontal=True, key=key("builder-entrance"), vertical_alignment="bottom"):
        more: dict[str, Any] = {"on_change": _take, "args": (bench,)}
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
            _put(key("below"), given.below)
            st.number_input(say("builder.below"), 1, MOST_TOKENS, key=key("below"), **more)
    count = len(bench.network.input)
    if count > 1:
        left.button(
            say("builder.one-input", count=count),
            key=key("one-input"),
            on_click=_keep_first,
            args=(bench,),
        )


def _take(bench: Bench) -> None:
    key = bench.card.key
    old = bench.network.input[0]
    below = st.session_state.get(key("below")) or old.below
    told = str(st.session_state[key("shape")] or "").strip()
    sizes = sizes_in(told)
    if sizes is None:
        bench.refuse(None, "no-shape", given=as_code(told))
        return
    try:
        kind = InputKind(st.session_state[key("dtype")] or old.kind)
        first = InputSpec(sizes, kind, int(below))
        network = Network(bench.network.block, (first, *bench.network.input[1:]))
    except InvalidSpecError as error:
        bench.refuse(error)
    else:
        bench.load(network)


def _keep_first(bench: Bench) -> None:
    bench.load(Network(bench.network.block, bench.network.input[:1]))


def sizes_in(text: str) -> tuple[int, ...] | None:
    """The sizes in a text, as a shape is written; None where anything else stands in it.

    >>> sizes_in("2, 20"), sizes_in("(2, 20)"), sizes_in("2×20"), sizes_in("()"), sizes_in("2, -3")
    ((2, 20), (2, 20), (2, 20), (), None)
    """
    parts = [part for part in BETWEEN.split(text.strip("()[] ")) if part]
    if not text or not all(map(SIZE.fullmatch, parts)):
        return None
    return tuple(map(int, parts))


def _put(key: str, value: object) -> None:
    st.session_state[key] = value  # in each run: one that was interrupted has not sent it
