"""The script of every page: the document's language, the sidebar on a phone, and scrolling."""

from pathlib import Path

import streamlit as st

from playground.catalog import Language
from ui.language import current_language
from ui.streamlit_internals import register_component

TARGET = "page-script-target"


def draw(page: str) -> None:
    """Mount the script.

    Args:
        page: The URL path of the page; another one closes the sidebar of a narrow window.
    """
    mount = register_component("page", "script", Path(__file__).parent, js="page.js")
    lang = "zh-CN" if current_language() is Language.ZH else "en"
    data = {"lang": lang, "page": page, "target": st.session_state.get(TARGET)}
    mount(key="page-script", data=(data,))  # a tuple, as for the panel


def scroll_to(key: str) -> None:
    """Scroll to a container with the next run of the whole page.

    Args:
        key: The container's key.
    """
    count = (st.session_state.get(TARGET) or {"count": 0})["count"]
    st.session_state[TARGET] = {"selector": f".st-key-{key}", "count": count + 1}
