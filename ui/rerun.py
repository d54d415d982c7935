"""What happens when a visitor clicks while a card is still being drawn, and switches of pages.

Knows Streamlit's insides.

Streamlit 1.67 lets a click in a card wait until every card that is being drawn is done, then throws
away what the card has drawn and not sent yet, since the next run draws all of it again.
"""

from collections.abc import Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)

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


def ignore_left_pages() -> None:
    """Let Streamlit drop what a card asks for once its visitor has asked for another page.

    Between that click and the first message of the new page the browser still asks on behalf of
    the old page: a card that is drawn every second, for example. Streamlit 1.67 would forget the
    click, or run the card after the new page as a run of the old one, upon which the browser
    empties the screen and nothing fills it again.
    """
    run, take = ScriptRunner._run_script, ScriptRequests._request_rerun_locked

    def run_here(runner: ScriptRunner, asked: RerunData) -> None:
        page = runner._pages_manager.current_page_script_hash
        if not asked.fragment_id_queue or asked.page_script_hash == page:
            run(runner, asked)

    def take_here(requests: ScriptRequests, asked: RerunData) -> bool:
        waiting = requests._rerun_data
        is_whole = requests._state is ScriptRequestType.RERUN and not waiting.fragment_id_queue
        is_left = is_whole and asked.page_script_hash != waiting.page_script_hash
        return (is_left and bool(asked.fragment_id)) or take(requests, asked)

    ScriptRunner._run_script = run_here  # type: ignore[method-assign, assignment]
    ScriptRequests._request_rerun_locked = take_here  # type: ignore[method-assign, assignment]
