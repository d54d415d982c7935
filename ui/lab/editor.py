"""The code editor and its toolbar: CodeMirror, or a plain text field.

``tools/bundle.sh`` bundles the editor's script. If the editor has not started after some
seconds, the text field takes its place; a visitor may also choose it.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st

from hosting.framework_internals.streamlit_session import register_component
from playground import export, sandbox
from ui.lab import own_file
from ui.lab.session import LabSession
from ui.language import current_language, say, table

CHOICE = "lab_plain"
BESIDE = "lab_beside"  # the output stands beside the editor, not below it
FIELD = "lab-field"  # of the lab itself
STARTUP_TIMEOUT_SECONDS = 15.0  # for the editor to come up
HEIGHT = 420
FILE_NAME = "lab"
STRIP_WORDS = (  # of the strip above the text
    *("undo", "redo", "copy_link", "copied", "no_link"),
    *("programs", "untitled", "add", "close", "reopen"),
)
SEVERITIES = {"note": "warning", "handled": "info"}  # by the level of a finding


@dataclass(frozen=True, slots=True)
class Mark:
    """A remark on a line of the program.

    Attributes:
        line: From 1.
        column: From 0.
        sentence: Plain text.
        severity: ``"error"``, ``"warning"`` or ``"info"``.
        is_run: The result of a run; otherwise a finding of the check, while somebody types.
    """

    line: int
    column: int
    sentence: str
    severity: str = "error"
    is_run: bool = False


def findings(text: str, *, is_run: bool = False) -> tuple[Mark, ...]:
    """Return what the sandbox's check finds in a text, which is not run."""
    language = current_language()
    return tuple(
        Mark(
            each.line,
            max(each.column - 1, 0),
            each.sentence(language),
            SEVERITIES.get(each.level, "error"),
            is_run,
        )
        for each in sandbox.check(text)
    )


@dataclass(frozen=True, slots=True)
class Callbacks:
    """The page's actions in a callback of the editor.

    Attributes:
        edited: The text has changed.
        asked: The text is to be run.
        switched: Another program is shown.
    """

    edited: Callable[[], None]
    asked: Callable[[], None]
    switched: Callable[[], None]


def draw(lab: LabSession, marks: Sequence[Mark], do: Callbacks, link: str | None = None) -> None:
    """Draw the editor.

    Args:
        lab: Holds the text and the editor's state.
        marks: Lines to mark.
        do: Called in callbacks.
        link: The query of a link to the program, or empty; without one, there is one program, and
            no tabs.
    """
    if is_plain():
        _draw_field(lab, do.edited)
    else:
        _draw_editor(lab, marks, do, link)


def is_output_beside() -> bool:
    """Return whether the output stands beside the editor."""
    return bool(st.session_state.get(BESIDE, st.query_params.get(BESIDE) == "true"))


def _redraw_all() -> None:
    st.rerun()  # the page decides on the places


def is_plain() -> bool:
    """Return whether the plain text field is used."""
    return bool(st.session_state.get(CHOICE, st.query_params.get(CHOICE) == "true"))


def _draw_editor(lab: LabSession, marks: Sequence[Mark], do: Callbacks, link: str | None) -> None:
    mount = register_component("lab", "editor", Path(__file__).parent, js="editor.js")
    data = {
        "text": lab.text,
        "version": lab.version,
        "marks": [asdict(mark) for mark in marks],
        "label": say("lab.editor"),
        "phrases": phrases(),
        "words": {word: say(f"strip.{word}") for word in STRIP_WORDS},
        "has_programs": link is not None,
        "link": link or "",
        "document": lab.document,
        "name": lab.title,
        "original": lab.origin,
        "opened": lab.opened,
        "is_first": lab.is_first,
    }
    mount(
        key=f"{lab.name}-editor",
        data=(data,),  # of a dict's values Streamlit would import pandas, to see if one is a table
        on_ready_change=lambda: _note_ready(lab),
        on_edited_change=lambda: _take(lab, do.edited),
        on_asked_change=lambda: _take(lab, do.asked),
        on_switched_change=lambda: _take(lab, do.switched),
    )


def phrases() -> dict[str, str]:
    """Return the words of CodeMirror's own panels, by how it says them in English."""
    known = {key: text for key, text in table().items() if key.startswith("editor.")}
    return {text.en: say(key) for key, text in known.items()}


def watch_startup(lab: LabSession) -> None:
    """Draw a fragment that falls back to the text field if the editor does not start."""
    if not lab.is_ready and not st.session_state.get(CHOICE):
        st.fragment(_fall_back, run_every=STARTUP_TIMEOUT_SECONDS)(lab, time.monotonic())


def _fall_back(lab: LabSession, drawn_at: float) -> None:
    if time.monotonic() - drawn_at < STARTUP_TIMEOUT_SECONDS / 2:
        return  # it has only just been drawn
    lab.lacks_editor = not lab.is_ready
    st.rerun()


def _note_ready(lab: LabSession) -> None:
    if not lab.is_ready:
        lab.is_ready = True
        st.rerun()  # all of it: nothing needs to be watched any more


def _draw_field(lab: LabSession, edited: Callable[[], None]) -> None:
    field = f"{lab.name}-field"
    if st.session_state.get(field) != lab.text:
        st.session_state[field] = lab.text
    st.text_area(
        say("lab.editor"),
        key=field,
        height=HEIGHT,
        label_visibility="collapsed",
        on_change=_take_field,
        args=(lab, field, edited),
    )


def sync_text(lab: LabSession) -> None:
    """In a callback: read the text of the editor's last event.

    A button's callback may come before the editor's own, though the editor sent its text first.
    """
    events = st.session_state.get(f"{lab.name}-editor") or {}
    for name in ("edited", "asked", "switched"):
        _accept(lab, events.get(name))


def _accept(lab: LabSession, event: object) -> None:
    """Set the text of an event, unless it is outdated."""
    if not isinstance(event, dict) or event.get("version") != lab.version:
        return
    sent_at, text = event.get("at"), event.get("text")
    if isinstance(sent_at, int) and isinstance(text, str) and sent_at >= lab.heard_at:
        lab.heard_at = sent_at
        lab.is_first = False
        document, origin = event.get("document"), event.get("original")
        if isinstance(document, str) and isinstance(origin, str):
            lab.adopt(text, origin, document)
        else:
            lab.edit(text)


def _take(lab: LabSession, go_on: Callable[[], None]) -> None:
    sync_text(lab)
    go_on()


def _take_field(lab: LabSession, field: str, edited: Callable[[], None]) -> None:
    lab.put(str(st.session_state[field] or ""))
    edited()


def draw_toolbar(
    lab: LabSession,
    ask: Callable[[], None],
    check: Callable[[], None],
    again: Callable[[], None],
    *,
    has_programs: bool = True,
) -> None:
    """Draw the toolbar.

    Args:
        lab: Holds the text.
        ask: Called in a callback to run the text.
        check: Called in a callback to check the text against its exercise.
        again: Called in a callback after the text was replaced.
        has_programs: The editor keeps each program in a tab.
    """
    if lab.lacks_editor:
        lab.lacks_editor = False
        st.session_state[CHOICE] = True
    with st.container(horizontal=True, key="lab-bar", gap="xsmall", vertical_alignment="center"):
        st.button(
            say("lab.run"),
            key="lab-run",
            type="secondary" if lab.exercise else "primary",
            icon=":material/play_arrow:",
            shortcut="Ctrl+Enter",
            on_click=ask,
        )
        if lab.exercise:
            st.button(
                say("lab.check"),
                key="lab-check",
                type="primary",
                icon=":material/check:",
                on_click=check,
            )
        st.button(
            say("lab.reset"),
            key="lab-reset",
            icon=":material/restart_alt:",
            help=say("lab.reset-help"),
            disabled=not lab.is_changed,
            on_click=_then(lab.reset, again),
        )
        if lab.earlier and (is_plain() or not has_programs):  # else it is in a tab of its own
            st.button(
                say("lab.undo"),
                key="lab-undo",
                icon=":material/undo:",
                help=say("lab.undo-help"),
                on_click=_then(lab.go_back, again),
            )
        if has_programs:
            own_file.draw()
        program = f"{lab.text.rstrip()}\n"
        st.download_button(
            ".py",
            lambda: program,  # made on a click: the file of each text would be gone with the next
            f"{FILE_NAME}.py",
            "text/x-python",
            key="lab-script",
            icon=":material/download:",
            help=say("lab.download-help"),
            on_click="ignore",
        )
        st.download_button(
            ".ipynb",
            lambda: export.program_as_notebook(program),
            f"{FILE_NAME}.ipynb",
            "application/x-ipynb+json",
            key="lab-notebook",
            icon=":material/download:",
            help=say("lab.notebook-help"),
            on_click="ignore",
        )
        with st.popover(say("lab.view"), key="lab-view", icon=":material/tune:"):
            st.toggle(say("lab.beside"), key=BESIDE, bind="query-params", on_change=_redraw_all)
            st.toggle(say("lab.plain"), key=CHOICE, bind="query-params", help=say("lab.plain-help"))


def _then(first: Callable[[], None], second: Callable[[], None]) -> Callable[[], None]:
    def both() -> None:
        first()
        second()

    return both
