"""What the visitor can start from: a program of any lesson, found by typing a word of its title."""

import streamlit as st

from playground.errors import PlaygroundError
from playground.lab import exercises, terms
from playground.lab.starts import starts
from ui import answer_view, failures, language, machine_picker
from ui.lab.desk import Desk
from ui.words import say

KEY = "lab-start"
FIRST = "custom_layers/centered_layer"  # short, and with a layer of its own to trace


def begin(desk: Desk) -> None:
    """Put a first program on an empty desk."""
    if not desk.is_begun:
        desk.is_begun = True
        put(desk, FIRST)


def draw(desk: Desk) -> None:
    """Draw the choice."""
    tongue = language.current()
    known = {each.id: each for each in starts()}
    st.selectbox(
        say("lab.starts"),
        tuple(known),
        index=None,
        format_func=lambda name: known[name].title.said(tongue),
        key=KEY,
        placeholder=say("lab.starts-search", count=len(known)),
        on_change=_choose,
        args=(desk,),
    )
    if desk.problem is not None:
        st.warning(failures.sentence(desk.problem, {}))
    note = terms.note_on(desk.start)
    if note is not None:
        st.html(answer_view.why(say(f"lab.note-{note}")))


def _choose(desk: Desk) -> None:
    chosen = st.session_state[KEY]
    st.session_state[KEY] = None  # ready for the next
    if chosen is not None:
        put(desk, chosen)


def put(desk: Desk, name: str) -> bool:
    """Put a program of a lesson, or an exercise, on the desk; False where there is none such."""
    desk.problem = None
    for exercise in exercises.exercises():
        if name in exercise.ids:
            desk.open(exercise.program, exercise=exercise.id)
            return True
    for start in starts():
        if start.id == name:
            try:
                desk.open(start.program(machine_picker.current()), start=name)
            except PlaygroundError as error:
                desk.problem = error
            return desk.problem is None
    return False
