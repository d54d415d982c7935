"""Deletion of the data of a class, in one act."""

import streamlit as st

from hosting import settings
from hosting.progress import ProgressUnavailableError
from hosting.progress.progress_writer import ProgressWriter
from ui import error_page
from ui.language import say

SURE, DELETE, OUTCOME = "delete-sure", "delete-all", "delete-outcome"


def draw(writer: ProgressWriter) -> None:
    """Draw the button, which works once the teacher is sure."""
    with st.expander(say("teacher.delete"), key="delete-class"):
        st.markdown(say("teacher.delete-note"))
        if days := settings.current().keep_days:
            st.caption(say("teacher.delete-days", days=days))
        is_sure = st.checkbox(say("teacher.delete-sure"), key=SURE)
        label = say("teacher.delete-all")
        st.button(label, key=DELETE, disabled=not is_sure, on_click=_delete, args=(writer,))
        if outcome := st.session_state.pop(OUTCOME, ""):
            st.caption(outcome)


def _delete(writer: ProgressWriter) -> None:
    try:
        writer.delete_all()
    except ProgressUnavailableError as error:
        st.session_state[OUTCOME] = error_page.sentence(error, {})
    else:
        st.session_state[SURE] = False
        st.session_state[OUTCOME] = say("teacher.deleted")
