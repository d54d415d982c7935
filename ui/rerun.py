"""What happens when a visitor clicks while a card is still being drawn, and switches of pages.

Knows Streamlit's insides.

Streamlit 1.67 lets a click in a card wait until every card that is being drawn is done, then throws
away what the card has drawn and not sent yet, since the next run draws all of it again.
"""

from collections.abc import Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

from hosting.limits import kept_files, left_widgets

HERE = "here"  # in the session: the page of the last whole run


def is_asked_for() -> bool:
    """Whether the visitor has clicked meanwhile, or has left."""
    context = get_script_run_ctx()
    requests = context.script_requests if context else None
    return requests is not None and requests._state is not ScriptRequestType.CONTINUE


def send_whole() -> None:
    """Let a card send all that it draws, also what the browser has kept.

    What is sent as a mere hash no longer says to which card it belongs, so it would survive when
    the rest of an unsent card is thrown away. The browser then misses the block around it, breaks
    off with "Cannot set a node at a delta path", and never comes to rest.
    """
    context = get_script_run_ctx()
    if context is not None and context.fragment_ids_this_run:
        context.cached_message_hashes = frozenset()


def draw_again() -> None:
    """End this run and draw the card once more; the page, where the page is being drawn."""
    context = get_script_run_ctx()
    is_card = context is not None and bool(context.fragment_ids_this_run)
    st.rerun(scope="fragment" if is_card else "app")


def switch_page(page: str, query: Mapping[str, str]) -> None:
    """Switch to another page; parameters that are bound to widgets of every page may be given too.

    ``st.switch_page`` drops such a parameter where it is not given, and refuses it where it is.
    """
    context = get_script_run_ctx()
    if context is not None:
        with context.session_state.query_params() as known:
            for name in query:
                if binding := known.get_binding_for_param(name):
                    known.unbind_widget(binding.widget_id)
    st.switch_page(page, query_params=dict(query))


def leave_for(page: str) -> None:
    """Forget the files and widgets of the page before, where the visitor has come to another one.

    Args:
        page: The one that is drawn.
    """
    if st.session_state.get(HERE) != page:
        st.session_state[HERE] = page
        kept_files.forget(session())
        left_widgets.forget()


def session() -> str:
    """Streamlit's id of the session that is being run; empty outside one."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""
