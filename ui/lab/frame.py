"""The lab on the page: the editor left, what came of the program right, exercises below.

The only place that knows how the lab's parts are drawn again. The output's part waits for a run;
meanwhile the editor stays as it is and can be written in.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import streamlit as st

from playground import catalog
from ui import answer_view, language, machine_picker
from ui.lab import arrival, bar, closed, editor, exercises, output, starts, tries
from ui.lab.desk import Desk, current
from ui.quoting import quote_markdown
from ui.words import say

NAME = "lab"
OUTPUT, TASK, EDITOR, EXERCISES = "lab-output", "lab-exercise", "lab-editing", "lab-exercises"
SIDES = (7, 5)
SHEET = Path(__file__).with_name("lab.css")
IN_PLACE = "<i hidden></i>"  # style alone goes to a place that all cards share, and gets lost there


def draw() -> None:
    """Draw the lab."""
    planned = catalog.curriculum().planned(NAME)
    if planned is None:
        raise LookupError(f"the curriculum has no lesson {NAME}")
    tongue = language.current()
    chapter = next(each for each in catalog.chapters() if each.id == planned.chapter)
    st.html(f'<div class="tp-overline">{quote_markdown(chapter.title.said(tongue))}</div>')
    st.title(planned.title.said(tongue), anchor=False)
    machine = machine_picker.current()
    st.html(
        f'<p class="tp-lead">{quote_markdown(planned.lead.said(tongue))}</p>'
        f'<div class="tp-meta">{answer_view.badge(machine_picker.badge(machine))}'
        f"<span>{say('lab.simulated' if machine.is_simulated else 'lab.cpu-only')}</span></div>"
    )
    if not closed.is_open():
        return
    desk = current()
    starts.begin(desk)
    arrival.arrive(desk)
    with st.container(key="lab"):
        draw_sheet()
        starts.draw(desk)
        st.fragment(exercises.draw_task, key=TASK)(desk, _again)
        left, right = st.columns(SIDES, gap="medium")
        with right:  # first: where both are drawn again, the editor is to learn of the report
            st.fragment(output.draw, key=OUTPUT)(desk)
        with left:
            st.fragment(_draw_editor, key=EDITOR)(desk)
        st.fragment(exercises.draw, key=EXERCISES)(desk)
        editor.watch(desk)


def draw_sheet() -> None:
    """Draw what styles the lab's parts."""
    st.html(f"{IN_PLACE}<style>{_sheet()}</style>")


def _draw_editor(desk: Desk) -> None:
    bar.draw(desk, _press(tries.run, desk), _press(tries.check, desk), _again)
    editor.draw(desk, output.marks(desk), lambda: _edited(desk), _press(tries.run, desk))
    arrival.write(desk)
    if desk.is_broken_link:
        st.warning(say("lab.broken-link"))
    if desk.is_too_long_for_link:
        st.caption(say("lab.no-link"))


def _press(start: Callable[[Desk], None], desk: Desk) -> Callable[[], None]:
    def press() -> None:
        editor.catch_up(desk)
        start(desk)
        _again()

    return press


def _again() -> None:
    st.rerun([OUTPUT, TASK, EDITOR, EXERCISES])


def _edited(desk: Desk) -> None:
    """In a callback: the output's part goes on waiting, if it was waiting."""
    desk.is_broken_link = False
    if desk.running:
        _again()
    st.rerun([EDITOR])


@cache
def _sheet() -> str:
    return SHEET.read_text("utf-8")
