"""Which steps and challenges a visitor has done: in this session, and in a signed-in one's past."""

import streamlit as st

from playground import catalog
from ui import keeping

KEY = "progress"


def _done() -> set[str]:
    if KEY not in st.session_state:
        st.session_state[KEY] = set()
    done: set[str] = st.session_state[KEY]
    return done


def arrive() -> None:
    """In each whole run: bring in what a signed-in student did before."""
    _done().update(keeping.arrive())


def mark(lesson: str, part: str) -> None:
    """Note that a step or a challenge of a lesson is done."""
    if not is_done(lesson, part):
        _done().add(f"{lesson}/{part}")
        keeping.note_done(lesson, part)


def is_done(lesson: str, part: str) -> bool:
    """Whether a step or a challenge is done."""
    return f"{lesson}/{part}" in _done()


def steps_done(lesson: catalog.Lesson) -> int:
    """How many steps of a lesson are done."""
    done = _done()  # once: the session's state is slow to ask
    return sum(f"{lesson.name}/{step.id}" in done for step in lesson.steps)
