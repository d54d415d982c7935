"""The whole lesson as a file, with the values on the screen; made when it is asked for."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from playground import catalog, export
from ui import language
from ui.step import Mode, Step
from ui.words import say

if TYPE_CHECKING:
    from ui.lesson_frame import LastGood


def draw(
    lesson: catalog.Lesson, bodies: Mapping[str, Callable[[Step], None]], good: "LastGood"
) -> None:
    """Offer the lesson as a Python file and as a notebook."""
    tongue = language.current()
    title = lesson.title.said(tongue)
    note = say(
        "app.export-simulated" if good.machine.is_simulated else "app.export-real",
        gpus=good.machine.gpus,
        memory=f"{good.machine.memory_gib:g}",
    )

    restart = say("app.export-restart")

    def script() -> str:  # called on click, in another thread, without a Streamlit run
        return export.as_script(title, shown_steps(lesson, bodies, good, tongue), note=note)

    def notebook() -> str:
        steps = shown_steps(lesson, bodies, good, tongue)
        return export.as_notebook(title, steps, note=note, restart_note=restart)

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


def shown_steps(
    lesson: catalog.Lesson,
    bodies: Mapping[str, Callable[[Step], None]],
    good: "LastGood",
    tongue: catalog.Language,
) -> list[export.ShownStep]:
    """Every step with its program, at the values on the screen; needs no Streamlit run."""
    shown = []
    for words in lesson.steps:
        values = dict(good.values.get(words.id, {}))
        with Step(lesson, words, good.machine, values, Mode.COLLECTING) as step:
            bodies[words.id](step)
        if step.program:
            shown.append(
                export.ShownStep(
                    id=words.id,
                    title=words.title.said(tongue),
                    prose=words.prose.said(tongue),
                    program=step.program,
                )
            )
    return shown
