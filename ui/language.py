"""The visitor's language: the browser's, until another is chosen; kept in the URL as ``lang``."""

import streamlit as st

from playground.catalog import Language

KEY = "lang"
NAMES = {Language.EN: "English", Language.ZH: "中文"}


def browser_language() -> Language:
    """What the browser asks for; English unless it is a kind of Chinese."""
    return Language.ZH if (st.context.locale or "").lower().startswith("zh") else Language.EN


def current() -> Language:
    """The language of this run."""
    return Language(st.session_state.get(KEY) or browser_language())


def settle() -> Language:
    """Take the language from the URL on the first run; write it back when it was chosen."""
    if KEY not in st.session_state:
        asked = st.query_params.get(KEY)
        st.session_state[KEY] = asked if asked in set(Language) else browser_language()
    chosen = current()
    if chosen != browser_language():
        st.query_params[KEY] = chosen
    else:
        st.query_params.pop(KEY, None)
    return chosen


def picker(label: str) -> None:
    """Draw the switch; the language names itself, so nobody needs to read the other one."""
    st.segmented_control(
        label, tuple(Language), format_func=NAMES.__getitem__, key=KEY, required=True
    )
