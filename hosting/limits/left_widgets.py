"""What Streamlit keeps of widgets that are on no page any more; knows where it keeps that.

Streamlit 1.67 keeps a widget's callback, with all that it is given, until the session ends: with a
step come its reports, its figures and whatever it was drawn in.
"""

from typing import Any, cast

from streamlit.runtime.scriptrunner import get_script_run_ctx


def forget() -> None:
    """Drop what this session keeps of the widgets of earlier pages, except for their values."""
    context = get_script_run_ctx()
    if context is None:
        return
    safe = cast("Any", context.session_state)
    with safe._lock:
        given = safe._state._new_widget_state
        living = {*given.states, *context.shared.widget_ids_this_run.snapshot()}
        for widget in given.widget_metadata.keys() - living:
            del given.widget_metadata[widget]
