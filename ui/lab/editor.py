"""The code editor: CodeMirror in the browser, a plain text field where that is wished or missing.

The editor's script is a file of this server, as the content security policy wants it (see
``ui/builder/dragging.py``); ``tools/build_editor.sh`` makes it. Where the editor has not come up
after some seconds, the text field takes its place.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from ui.lab.desk import Desk
from ui.words import say

PACKAGE, NAME, SCRIPT = "lab", "editor", "editor.js"
MANIFEST = ComponentManifest(
    name=PACKAGE, version="1", components=[ComponentConfig(name=NAME, asset_dir="assets")]
)
CHOICE = "lab_plain"
FIELD = "lab-field"  # of the lab itself
PATIENCE_SECONDS = 15.0  # for the editor to come up
HEIGHT = 420


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of the program that something is said about.

    Attributes:
        line: From 1.
        column: From 0.
        sentence: Plain text.
    """

    line: int
    column: int
    sentence: str


def draw(
    desk: Desk, marks: Sequence[Mark], edited: Callable[[], None], ask: Callable[[], None]
) -> None:
    """Draw the editor.

    Args:
        desk: Holds the text, and is told what becomes of it.
        marks: Lines to mark.
        edited: Called in a callback, after the text has changed.
        ask: Called in a callback, where the visitor wants the text to be run.
    """
    if desk.lacks_editor:
        desk.lacks_editor = False
        st.session_state[CHOICE] = True
    if is_plain():
        _draw_field(desk, edited)
    else:
        _draw_editor(desk, marks, edited, ask)
    st.toggle(say("lab.plain"), key=CHOICE, bind="query-params", help=say("lab.plain-help"))


def is_plain() -> bool:
    """Whether the visitor has the plain text field."""
    return bool(st.session_state.get(CHOICE, st.query_params.get(CHOICE) == "true"))


def _draw_editor(
    desk: Desk, marks: Sequence[Mark], edited: Callable[[], None], ask: Callable[[], None]
) -> None:
    component = _component()
    component(
        key=f"{desk.name}-editor",
        data={
            "text": desk.text,
            "version": desk.version,
            # A tuple: for a list or a dict Streamlit would import pandas, to see if it is a table.
            "marks": tuple(asdict(mark) for mark in marks),
            "label": say("lab.editor"),
        },
        on_ready_change=lambda: _note_ready(desk),
        on_edited_change=lambda: _take(desk, edited),
        on_asked_change=lambda: _take(desk, ask),
    )


def watch(desk: Desk) -> None:
    """Draw what notices that the editor does not come up, and puts the text field in its place."""
    if not desk.is_ready and not st.session_state.get(CHOICE):
        st.fragment(_give_way, run_every=PATIENCE_SECONDS)(desk, time.monotonic())


def _give_way(desk: Desk, drawn_at: float) -> None:
    if time.monotonic() - drawn_at < PATIENCE_SECONDS / 2:
        return  # it has only just been drawn
    desk.lacks_editor = not desk.is_ready
    st.rerun()


def _note_ready(desk: Desk) -> None:
    if not desk.is_ready:
        desk.is_ready = True
        st.rerun()  # all of it: nothing needs to be watched any more


def _draw_field(desk: Desk, edited: Callable[[], None]) -> None:
    field = f"{desk.name}-field"
    if st.session_state.get(field) != desk.text:
        st.session_state[field] = desk.text
    st.text_area(
        say("lab.editor"),
        key=field,
        height=HEIGHT,
        label_visibility="collapsed",
        on_change=_take_field,
        args=(desk, field, edited),
    )


def catch_up(desk: Desk) -> None:
    """In a callback: take what the editor told last.

    A button's callback may come before the editor's own, though its text was told before the press.
    """
    told = st.session_state.get(f"{desk.name}-editor") or {}
    for event in ("edited", "asked"):
        _hear(desk, told.get(event))


def _hear(desk: Desk, told: object) -> None:
    """Take a text, unless it is older than what is known."""
    if not isinstance(told, dict) or told.get("version") != desk.version:
        return
    told_at, text = told.get("at"), told.get("text")
    if isinstance(told_at, int) and isinstance(text, str) and told_at >= desk.heard_at:
        desk.heard_at = told_at
        desk.edit(text)


def _take(desk: Desk, go_on: Callable[[], None]) -> None:
    catch_up(desk)
    go_on()


def _take_field(desk: Desk, field: str, edited: Callable[[], None]) -> None:
    desk.put(str(st.session_state[field] or ""))
    edited()


def _component() -> Any:
    full_name = f"{PACKAGE}.{NAME}"
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(full_name) is None:
        manager.register_from_manifest(MANIFEST, Path(__file__).parent)
    return st.components.v2.component(full_name, js=SCRIPT, isolate_styles=False)
