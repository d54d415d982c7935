"""What a visitor sees of an error that nobody foresaw: one sentence. The log has all of it."""

import logging

import streamlit as st

from ui.words import say

_log = logging.getLogger(__name__)


def tell(error: Exception) -> bool:
    """Log the error whole and show one sentence; True keeps Streamlit from showing its own.

    While developing (``make dev``) Streamlit's own display, with the traceback, is the better one.
    """
    _log.error("a page failed", exc_info=error)
    if st.get_option("client.showErrorDetails") == "full":
        return False
    st.error(say("failures.unforeseen"))
    return True
