"""Dragging a row to another place, where there is a mouse.

A component of Streamlit brings its script either as text, which the browser is given as a ``blob:``
address, or as a file of this server. The content security policy allows this host alone, so it is a
file; Streamlit looks for such files in installed packages, and is told of this one here.
"""

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from playground.modules.spec import Block, edit
from playground.modules.spec.edit import Address
from ui.builder.bench import Bench

PACKAGE, NAME = "builder", "drag"
MANIFEST = ComponentManifest(
    name=PACKAGE, version="1", components=[ComponentConfig(name=NAME, asset_dir="assets")]
)
SCRIPT = "drag.js"


def enable(bench: Bench) -> None:
    """Let the rows of a bench be dragged."""
    key = bench.card.key("builder-drag")
    component = _component()
    component(
        key=key,
        data={"prefix": bench.card.key("row-")},
        height=0,
        on_moved_change=lambda: _take(bench, key),
    )


def _component() -> Any:
    full_name = f"{PACKAGE}.{NAME}"
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(full_name) is None:
        manager.register_from_manifest(MANIFEST, Path(__file__).parent)
    return st.components.v2.component(full_name, js=SCRIPT)


def _take(bench: Bench, key: str) -> None:
    moved = st.session_state[key].get("moved")
    if moved:
        drop(bench, str(moved["from"]), str(moved["to"]), is_after=bool(moved["after"]))


def drop(bench: Bench, start: str, target: str, *, is_after: bool) -> None:
    """Put a row before or behind another; behind an open block means into it, in front."""
    try:
        source, place = _address(start), _address(target)
        node = edit.node_at(bench.root, place)
        if is_after:
            is_open = isinstance(node, Block) and node not in bench.desk.closed
            place = (*place, 0) if is_open else (*place[:-1], place[-1] + 1)
        landed = edit.landing(source, place)
    except (IndexError, ValueError):
        return  # into itself, or from a page that was out of date
    bench.change(lambda root: edit.move(root, source, landed), landed)


def _address(text: str) -> Address:
    return tuple(int(number) for number in text.split("-"))
