"""The script of every page: the document's language, the sidebar on a phone, scrolling, polls."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from hosting import live_poll as polls
from hosting.framework_internals import streamlit_session
from hosting.framework_internals.streamlit_session import register_component
from playground import catalog
from playground.catalog import Language
from ui import live_poll, navigation, page_state
from ui.language import current_language

KEY = "page-script"
TARGET = "page-script-target"
FOLLOWS = "page-script-follows"  # in the session: the visitor goes to the question of the poll


def draw(page: str) -> None:
    """Mount the script.

    Args:
        page: The URL path of the page; another one closes the sidebar of a narrow window.
    """
    mount = register_component("page", "script", Path(__file__).parent, js="page.js")
    lang = "zh-CN" if current_language() is Language.ZH else "en"
    data = {"lang": lang, "page": page, "target": st.session_state.get(TARGET)}
    if phase := live_poll.phase(polls.current().snapshot()):
        data["phase"] = phase
    # the data in a tuple, as for the panel
    mount(key=KEY, data=(data,), on_poll_change=_note_event)


def scroll_to(key: str) -> None:
    """Scroll to a container with the next run of the whole page.

    Args:
        key: The container's key.
    """
    count = (st.session_state.get(TARGET) or {"count": 0})["count"]
    st.session_state[TARGET] = {"selector": f".st-key-{key}", "count": count + 1}


def _note_event() -> None:
    """Note that the visitor follows the banner; any other event only draws the page again."""
    event = (st.session_state.get(KEY) or {}).get("poll")
    poll = polls.current().snapshot().poll
    if isinstance(event, Mapping) and event.get("type") == "go" and poll is not None:
        live_poll.choose_machine(poll)
        st.session_state[FOLLOWS] = True


def follow_poll() -> None:
    """Go to the state that the poll asks about if the visitor has followed the banner."""
    poll = polls.current().snapshot().poll
    if not st.session_state.pop(FOLLOWS, False) or poll is None:
        return
    if live_poll.polled_step(poll) is not None:
        lesson = catalog.lesson(poll.lesson)
        page_state.open_polled_step(lesson, poll.step, poll.round)
        query = page_state.kept_parameters() | live_poll.address(poll)
        streamlit_session.switch_page(navigation.page_of(lesson), query)
