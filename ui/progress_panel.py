"""The sidebar's part for a signed-in student: whether progress is saved, and the way to it."""

import streamlit as st

from ui import navigation, progress_sync
from ui.language import say

LOADING_INTERVAL_SECONDS = 1.0  # between two looks while the database is read
RETRY_INTERVAL_SECONDS = 10.0  # while it does not answer


def draw() -> None:
    """Draw the part; nothing if the visitor has not signed in."""
    if progress_sync.current() is None:
        return
    if progress_sync.is_pending():
        every = LOADING_INTERVAL_SECONDS if progress_sync.is_loading() else RETRY_INTERVAL_SECONDS
        st.fragment(_rerun_when_loadable, key="progress-look", run_every=every)()
    if progress_sync.is_write_failing():
        st.caption(say("progress.troubled"))
    st.page_link(navigation.PAGES / "me.py", label=say("me.title"), icon="🎒")


def _rerun_when_loadable() -> None:
    """Redraw the page once the stored progress has arrived."""
    if progress_sync.is_loadable():
        st.rerun()
