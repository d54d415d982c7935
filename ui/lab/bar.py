"""The bar over the editor: run, begin again, bring back, save."""

from collections.abc import Callable

import streamlit as st

from ui.lab.desk import Desk
from ui.words import say

FILE_NAME = "lab.py"


def draw(
    desk: Desk, ask: Callable[[], None], check: Callable[[], None], again: Callable[[], None]
) -> None:
    """Draw the bar.

    Args:
        desk: Holds the text.
        ask: Called in a callback, where the text is to be run.
        check: The same where it is to be checked against its exercise.
        again: Called in a callback, after another text was put in.
    """
    with st.container(horizontal=True, key="lab-bar", gap="xsmall", vertical_alignment="center"):
        st.button(
            say("lab.run"),
            key="lab-run",
            type="secondary" if desk.exercise else "primary",
            icon=":material/play_arrow:",
            shortcut="Ctrl+Enter",
            on_click=ask,
        )
        if desk.exercise:
            st.button(
                say("lab.check"),
                key="lab-check",
                type="primary",
                icon=":material/check:",
                on_click=check,
            )
        st.button(
            say("lab.reset"),
            key="lab-icon-reset",
            icon=":material/restart_alt:",
            help=say("lab.reset-help"),
            disabled=not desk.is_changed,
            on_click=_then(desk.reset, again),
        )
        st.button(
            say("lab.undo"),
            key="lab-icon-undo",
            icon=":material/undo:",
            help=say("lab.undo-help"),
            disabled=not desk.earlier,
            on_click=_then(desk.go_back, again),
        )
        st.download_button(
            say("lab.download"),
            desk.text.rstrip() + "\n",
            FILE_NAME,
            "text/x-python",
            key="lab-icon-download",
            icon=":material/download:",
            help=say("lab.download-help"),
            on_click="ignore",
        )


def _then(first: Callable[[], None], second: Callable[[], None]) -> Callable[[], None]:
    def both() -> None:
        first()
        second()

    return both
