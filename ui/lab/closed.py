"""Whether the lab is open: the sandbox is tried when the server starts, and says so once."""

import logging
from functools import cache

import streamlit as st

from playground.sandbox import jail
from playground.sandbox.jail import Preflight
from ui.words import say, table

_log = logging.getLogger(__name__)


def is_open() -> bool:
    """Wait until the sandbox has been tried; where it does not hold, say so in one sentence."""
    with st.spinner(say("lab.opening"), show_time=False):
        found = jail.preflight()
    _note(found)
    if not found.ok:
        key = f"failures.{found.closed_because}"
        st.info(say(key if key in table() else "failures.sandbox_closed"))
        return False
    if not found.is_jailed:
        st.caption(say("lab.not-jailed"))
    return True


@cache
def _note(found: Preflight) -> None:
    """Tell the operator, once for each different finding."""
    if not found.ok:
        _log.error("the lab is closed (%s): %s", found.closed_because, "; ".join(found.failures))
    for warning in found.warnings:
        _log.warning("the lab: %s", warning)
