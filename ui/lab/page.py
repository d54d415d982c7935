"""The lab's page, and the editor in place of a step's program on the page of its lesson.

Only this module knows which fragments are drawn again. The output's fragment waits for a run;
meanwhile the editor stays as it is and can be typed in.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from hosting.framework_internals import streamlit_session
from playground import catalog
from ui import html_markup, machine_picker, navigation
from ui.lab import clinic, editor, examples, output, submit, url_state
from ui.lab.session import LabSession, current_session
from ui.language import current_language, say

NAME = "lab"
OUTPUT, TASK, EDITOR, EXERCISES = "lab-output", "lab-exercise", "lab-editing", "lab-exercises"
SIDES = (7, 5)
SHEET = Path(__file__).with_name("lab.css")
IN_PLACE = "<i hidden></i>"  # style alone goes to a place that all cards share, and gets lost there
PLACE_OUTPUT, PLACE_EDITOR = "in-place-output", "in-place-editing"


def draw() -> None:
    """Draw the lab's page."""
    planned = catalog.curriculum().planned(NAME)
    if planned is None:
        raise LookupError(f"the curriculum has no lesson {NAME}")
    language = current_language()
    machine = machine_picker.current()
    badge = html_markup.badge(machine_picker.badge(machine), is_simulated=machine.is_simulated)
    with st.container(horizontal=True, key="lab-head", vertical_alignment="center"):
        st.title(planned.title.said(language), anchor=False, width="content")
        st.html(
            f'<div class="tp-meta">{badge}'
            f"<span>{say('lab.simulated' if machine.is_simulated else 'lab.cpu-only')}</span></div>"
        )
    if not submit.is_available():
        return
    lab = current_session()
    examples.put_first(lab)
    if url_state.read_url(lab):
        submit.run(lab)
    with st.container(key="lab"):
        draw_sheet()
        examples.draw_examples(lab)
        with st.container(key="lab-work"):
            st.fragment(examples.draw_task, key=TASK)(lab, _redraw)
            left, right = _places()
            with right:  # first: where both are drawn again, the editor is to learn of the report
                st.fragment(output.draw, key=OUTPUT)(lab, _redraw)
            with left:
                st.fragment(_draw_editor, key=EDITOR)(lab)
        st.page_link(navigation.PAGES / "builder.py", label=say("builder.entry"), icon="🕸️")
        st.fragment(examples.draw_exercises, key=EXERCISES)(lab)
        st.fragment(clinic.draw, key=clinic.KEY)(lab)
        editor.watch_startup(lab)


def draw_sheet() -> None:
    """Draw the lab's style sheet."""
    st.html(f"{IN_PLACE}<style>{_sheet()}</style>")


def _places() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return containers for the editor and the output: one below the other, or beside it."""
    if not editor.is_output_beside():
        return st.container(key="lab-left"), st.container(key="lab-right")
    left, right = st.columns(SIDES, gap="medium")
    return left.container(key="lab-left-narrow"), right.container(key="lab-right")


def _draw_editor(lab: LabSession) -> None:
    url_state.write_url(lab)
    editor.draw_toolbar(lab, _press(submit.run, lab), _press(submit.check, lab), _redraw)
    do = editor.Callbacks(lambda: _edited(lab), _press(submit.run, lab), _redraw)
    editor.draw(lab, output.marks(lab), do, url_state.query(lab))
    if lab.is_broken_link:
        st.warning(say("lab.broken-link"))
    if lab.is_too_long_for_link:
        st.caption(say("lab.no-link"))


def _press(start: Callable[[LabSession], None], lab: LabSession) -> Callable[[], None]:
    def press() -> None:
        editor.sync_text(lab)
        start(lab)
        _redraw()

    return press


def _redraw() -> None:
    streamlit_session.rerun_fragments(OUTPUT, TASK, EDITOR, EXERCISES)


def _edited(lab: LabSession) -> None:
    """In a callback: redraw; the output's fragment continues to wait for a run."""
    lab.is_broken_link = False
    if lab.running:
        _redraw()
    streamlit_session.rerun_fragments(EDITOR)


@cache
def _sheet() -> str:
    return SHEET.read_text("utf-8")


def draw_in_place(lab: LabSession, leave: Callable[[], None], open_lab: Callable[[], None]) -> None:
    """Draw a step's program in the editor, on the page of its lesson.

    Args:
        lab: Holds the text.
        leave: Called in a callback to return to the step's own program.
        open_lab: Called in a callback to open the text in the lab.
    """
    with st.container(key="lab-place"):
        draw_sheet()
        with st.container(horizontal=True, key="lab-place-bar", gap="xsmall"):
            for name, words, icon, do in (
                ("back", "lab.back", ":material/arrow_back:", leave),
                ("open", "panel.lab", ":material/science:", open_lab),
            ):
                st.button(
                    say(words), key=f"lab-{name}", icon=icon, on_click=_after_sync, args=(lab, do)
                )
        if not submit.is_available():
            return
        left, right = _places()
        with right:  # first: where both are drawn again, the editor is to learn of the report
            st.fragment(output.draw, key=PLACE_OUTPUT)(lab, _redraw_place)
        with left:
            st.fragment(_draw_place_editor, key=PLACE_EDITOR)(lab)
        editor.watch_startup(lab)


def _draw_place_editor(lab: LabSession) -> None:
    def press() -> None:
        editor.sync_text(lab)
        submit.run(lab)
        _redraw_place()

    def edited() -> None:
        drawn = (PLACE_OUTPUT, PLACE_EDITOR) if lab.running else (PLACE_EDITOR,)
        streamlit_session.rerun_fragments(*drawn)

    editor.draw_toolbar(lab, press, press, _redraw_place, has_programs=False)
    editor.draw(lab, output.marks(lab), editor.Callbacks(edited, press, _redraw_place))


def _after_sync(lab: LabSession, do: Callable[[], None]) -> None:
    editor.sync_text(lab)
    do()


def _redraw_place() -> None:
    streamlit_session.rerun_fragments(PLACE_OUTPUT, PLACE_EDITOR)
