"""The student's side: the bar, what goes in, the layers in order, and the way to add one."""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.modules.forward_trace import ForwardTrace
from playground.modules.layer_types import LayerType
from ui import failures
from ui.builder import adding, bar, dragging, entrance, inspector, layer_list
from ui.builder.bench import Bench
from ui.words import say


def show_controls(bench: Bench, layers: Sequence[LayerType], trace: ForwardTrace) -> None:
    """Draw everything by which the network is changed.

    Args:
        bench: With the network.
        layers: What may be added.
        trace: What became of the network: each layer shows what comes out of it.
    """
    left = bench.card.left
    known = {each.name: each for each in layers}
    bar.draw(bench, left)
    _tell(bench, left)
    entrance.draw(bench, left)
    _list(bench, left, known, trace)
    adding.draw(bench, left, layers)


def _list(
    bench: Bench, left: DeltaGenerator, known: Mapping[str, LayerType], trace: ForwardTrace
) -> None:
    with left.container(key=bench.card.key("builder-layers"), gap=None):
        rows = layer_list.visible_rows(bench)
        layer_list.style(bench, rows, trace)
        for row in rows:
            layer_list.draw(bench, row, known, trace)
            if row.address == bench.selected:
                inspector.draw(bench, row, known)
        if not rows:
            st.caption(say("builder.empty"))
        dragging.enable(bench)


def _tell(bench: Bench, left: DeltaGenerator) -> None:
    notice = bench.desk.notice
    if notice is not None:
        why = failures.sentence(notice.error, bench.card.words) if notice.error else ""
        before = say(f"builder.{notice.words}", **dict(notice.values)) if notice.words else ""
        left.warning(f"{before} {why}".strip())
