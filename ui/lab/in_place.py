"""A step's program in the editor, in place on the page of its lesson: written, run, answered."""

from collections.abc import Callable

import streamlit as st

from ui.lab import bar, closed, editor, frame, output, tries
from ui.lab.desk import Desk
from ui.words import say

OUTPUT, EDITOR = "in-place-output", "in-place-editing"


def draw(desk: Desk, leave: Callable[[], None], open_lab: Callable[[], None]) -> None:
    """Draw the editor left, and what came of the program right.

    Args:
        desk: Holds the text.
        leave: Called in a callback, where the visitor wants the step's own program back.
        open_lab: Called in a callback, where the text is to be opened in the lab.
    """
    with st.container(key="lab-place"):
        frame.draw_sheet()
        with st.container(horizontal=True, key="lab-place-bar", gap="xsmall"):
            for name, words, icon, do in (
                ("back", "lab.back", ":material/arrow_back:", leave),
                ("open", "panel.lab", ":material/science:", open_lab),
            ):
                st.button(
                    say(words), key=f"lab-{name}", icon=icon, on_click=_caught_up, args=(desk, do)
                )
        if not closed.is_open():
            return
        left, right = st.columns(frame.SIDES, gap="medium")
        with right:  # first: where both are drawn again, the editor is to learn of the report
            st.fragment(output.draw, key=OUTPUT)(desk)
        with left:
            st.fragment(_draw_editor, key=EDITOR)(desk)
        editor.watch(desk)


def _draw_editor(desk: Desk) -> None:
    def press() -> None:
        editor.catch_up(desk)
        tries.run(desk)
        _again()

    def edited() -> None:
        st.rerun([OUTPUT, EDITOR] if desk.running else [EDITOR])

    bar.draw(desk, press, press, _again)
    editor.draw(desk, output.marks(desk), edited, press)


def _caught_up(desk: Desk, do: Callable[[], None]) -> None:
    editor.catch_up(desk)
    do()


def _again() -> None:
    st.rerun([OUTPUT, EDITOR])
