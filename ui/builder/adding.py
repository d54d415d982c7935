"""Adding a layer: the usual ones by a press, any other by typing its name."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.modules.layer_types import LayerType, grouped
from playground.modules.spec import Block, Layer, edit
from playground.modules.spec.edit import Address
from ui.builder.bench import Bench
from ui.words import say

USUAL = ("Linear", "ReLU", "Conv2d", "MaxPool2d", "Flatten", "Dropout")


def draw(bench: Bench, left: DeltaGenerator, layers: Sequence[LayerType]) -> None:
    """Draw the search field over all layers, and buttons for the usual ones."""
    key = bench.card.key
    known = {
        each.name: each for row in grouped(layers).values() for each in row if not each.is_container
    }
    with left.container(key=key("builder-adding"), gap="xsmall"):
        st.selectbox(
            say("builder.add"),
            tuple(known),
            index=None,
            format_func=lambda name: f"{name} · {say(f'builder.group-{known[name].group.value}')}",
            key=key("add"),
            placeholder=say("builder.search", count=len(known)),
            on_change=_search,
            args=(bench, known),
        )
        with st.container(horizontal=True, key=key("builder-usual"), gap="xxsmall"):
            for name in filter(known.__contains__, USUAL):
                st.button(name, key=key(f"add-{name}"), on_click=_add, args=(bench, known[name]))


def _search(bench: Bench, known: dict[str, LayerType]) -> None:
    name = st.session_state[bench.card.key("add")]
    st.session_state[bench.card.key("add")] = None  # ready for the next
    if name in known:
        _add(bench, known[name])


def _add(bench: Bench, kind: LayerType) -> None:
    """Put a layer behind the selected one, or at the end of the selected block."""
    place = _place(bench)
    layer = Layer(kind.name, kind.example_arguments)
    bench.desk.fitting = place
    bench.change(lambda root: edit.insert(root, place, layer), place)


def _place(bench: Bench) -> Address:
    chosen = bench.selected
    if chosen is None:
        return (len(bench.root.children),)
    node = edit.node_at(bench.root, chosen)
    if isinstance(node, Block) and node not in bench.desk.closed:
        return (*chosen, len(node.children))
    return (*chosen[:-1], chosen[-1] + 1)
