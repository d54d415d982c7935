"""The sidebar's panel for a signed-in student: what is stored, a display name, deletion."""

import streamlit as st

from hosting.progress import ProgressUnavailableError
from hosting.progress.records import MAX_NAME
from ui import error_page, progress_sync
from ui.language import say

NAME = "progress-name"
DELETE = "progress-forget"
CONFIRMED = "progress-sure"
OUTCOME = "progress-outcome"
LOADING_INTERVAL_SECONDS = 1.0  # between two looks while the database is read
RETRY_INTERVAL_SECONDS = 10.0  # while it does not answer


def draw() -> None:
    """Draw the panel; nothing if the visitor has not signed in."""
    session = progress_sync.current()
    if session is None:
        return
    if progress_sync.is_pending():
        every = LOADING_INTERVAL_SECONDS if progress_sync.is_loading() else RETRY_INTERVAL_SECONDS
        st.fragment(_rerun_when_loadable, key="progress-look", run_every=every)()
    if progress_sync.is_write_failing():
        st.caption(say("progress.troubled"))
    with st.popover(say("progress.title"), type="tertiary", key="progress-popover"):
        st.markdown(say("progress.kept"))
        if session.may_choose_name:
            if NAME not in st.session_state:
                st.session_state[NAME] = session.name
            st.text_input(
                say("progress.name"),
                key=NAME,
                max_chars=MAX_NAME,
                help=say("progress.name-help"),
                on_change=_set_name,
            )
        is_sure = st.checkbox(say("progress.sure"), key=CONFIRMED)
        st.button(
            say("progress.forget"), key=DELETE, disabled=not is_sure, on_click=_delete_progress
        )
        outcome: str = st.session_state.pop(OUTCOME, "")
        if outcome:
            st.caption(outcome)


def _rerun_when_loadable() -> None:
    """Redraw the page once the stored progress has arrived."""
    if progress_sync.is_loadable():
        st.rerun()


def _set_name() -> None:
    progress_sync.set_name(str(st.session_state[NAME]))


def _delete_progress() -> None:
    try:
        progress_sync.delete_progress()
    except ProgressUnavailableError as error:
        st.session_state[OUTCOME] = error_page.sentence(error, {})
    else:
        st.session_state[NAME] = ""
        st.session_state[CONFIRMED] = False
        st.session_state[OUTCOME] = say("progress.forgotten")
