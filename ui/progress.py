"""Which steps and challenges a visitor has done, for as long as the session lives."""

import streamlit as st

from playground import catalog

KEY = "progress"


def _done() -> set[str]:
    if KEY not in st.session_state:
        st.session_state[KEY] = set()
    done: set[str] = st.session_state[KEY]
    return done


def mark(lesson: str, part: str) -> None:
    """Note that a step or a challenge of a lesson is done."""
    _done().add(f"{lesson}/{part}")


def is_done(lesson: str, part: str) -> bool:
    """Whether a step or a challenge is done."""
    return f"{lesson}/{part}" in _done()


def steps_done(lesson: catalog.Lesson) -> int:
    """How many steps of a lesson are done."""
    return sum(is_done(lesson.name, step.id) for step in lesson.steps)
