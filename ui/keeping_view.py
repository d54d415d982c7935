"""What a signed-in student sees of it in the sidebar: a name to choose, and calm words."""

import streamlit as st

from hosting.progress import ProgressUnavailableError
from hosting.progress.records import MOST_NAME
from ui import failures, keeping
from ui.words import say

NAME = "keeping-name"
FORGET = "keeping-forget"
SURE = "keeping-sure"
OUTCOME = "keeping-outcome"
SOON, LATER = 1.0, 10.0  # seconds between two looks at a database that answers late, or not at all


def draw() -> None:
    """Draw it; where nothing is kept of the visitor, nothing."""
    held = keeping.current()
    if held is None:
        return
    if keeping.is_awaited():
        every = SOON if keeping.is_asked() else LATER
        st.fragment(_look, key="keeping-look", run_every=every)()
    if keeping.is_troubled():
        st.caption(say("keeping.troubled"))
    with st.popover(say("keeping.title"), type="tertiary", key="keeping-popover"):
        st.markdown(say("keeping.kept"))
        if held.may_choose_name:
            if NAME not in st.session_state:
                st.session_state[NAME] = held.name
            st.text_input(
                say("keeping.name"),
                key=NAME,
                max_chars=MOST_NAME,
                help=say("keeping.name-help"),
                on_change=_choose,
            )
        is_sure = st.checkbox(say("keeping.sure"), key=SURE)
        st.button(say("keeping.forget"), key=FORGET, disabled=not is_sure, on_click=_forget)
        outcome: str = st.session_state.pop(OUTCOME, "")
        if outcome:
            st.caption(outcome)


def _look() -> None:
    """Draw the page again, once, when what was kept has come: the student need not click."""
    if keeping.has_arrived():
        st.rerun()


def _choose() -> None:
    keeping.choose_name(str(st.session_state[NAME]))


def _forget() -> None:
    try:
        keeping.forget()
    except ProgressUnavailableError as error:
        st.session_state[OUTCOME] = failures.sentence(error, {})
    else:
        st.session_state[NAME] = ""
        st.session_state[SURE] = False
        st.session_state[OUTCOME] = say("keeping.forgotten")
