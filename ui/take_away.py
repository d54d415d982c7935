"""The whole lesson as a file, with the values on the screen; made when it is asked for."""

from collections.abc import Callable

import streamlit as st

from playground import catalog, export
from playground.machines import Machine
from ui import language
from ui.words import say


def draw(
    lesson: catalog.Lesson, machine: Machine, collect: Callable[[], list[export.ShownStep]]
) -> None:
    """Offer the lesson as a Python file and as a notebook.

    Args:
        lesson: Its name and title.
        machine: On which the programs were shown.
        collect: Makes the steps as they are on the screen; called on a click, in another thread.
    """
    tongue = language.current()
    title = lesson.title.said(tongue)
    note = say(
        "app.export-simulated" if machine.is_simulated else "app.export-real",
        gpus=machine.gpus,
        memory=f"{machine.memory_gib:g}",
    )

    restart, cuda = say("app.export-restart"), say("app.export-cuda")

    def script() -> str:  # called on click, in another thread, without a Streamlit run
        steps = collect()
        notes = f"{note} {cuda}" if any(step.needs_cuda for step in steps) else note
        return export.as_script(title, steps, note=notes)

    def notebook() -> str:
        return export.as_notebook(title, collect(), note=note, restart_note=restart, cuda_note=cuda)

    with st.popover(say("app.take-away"), key="take-away"):
        st.caption(say("app.take-away-note"))
        with st.container(horizontal=True):
            st.download_button(
                say("app.as-script"),
                script,
                f"{lesson.name}.py",
                "text/x-python",
                on_click="ignore",
                key="take-away-script",
            )
            st.download_button(
                say("app.as-notebook"),
                notebook,
                f"{lesson.name}.ipynb",
                "application/x-ipynb+json",
                on_click="ignore",
                key="take-away-notebook",
            )
