"""Export of a lesson as a Python file or a notebook, made on a click."""

import streamlit as st

from playground import catalog, compute, export
from playground.errors import PlaygroundError
from playground.machines import Machine
from playground.steps import load_step
from ui import machine_picker, step_state
from ui.language import current_language, say
from ui.page_state import PageState


def draw(page: PageState) -> None:
    """Draw the buttons; the files hold the lesson's programs with the settings on the screen."""
    machine, language = machine_picker.current(), current_language()
    name, title = page.lesson.name, page.lesson.title.said(language)
    note = say(
        "app.export-simulated" if machine.is_simulated else "app.export-real",
        gpus=machine.gpus,
        memory=f"{machine.memory_gib:g}",
    )
    restart, cuda = say("app.export-restart"), say("app.export-cuda")

    def script() -> str:  # called on a click, in another thread, without a Streamlit run
        steps = shown_steps(page, machine, language)
        notes = f"{note} {cuda}" if any(step.needs_cuda for step in steps) else note
        return export.as_script(title, steps, note=notes)

    def notebook() -> str:
        steps = shown_steps(page, machine, language)
        return export.as_notebook(title, steps, note=note, restart_note=restart, cuda_note=cuda)

    with st.popover(say("app.export"), key="take-away"):
        st.caption(say("app.export-note"))
        with st.container(horizontal=True):
            st.download_button(
                say("app.as-script"),
                script,
                f"{name}.py",
                "text/x-python",
                on_click="ignore",
                key="take-away-script",
            )
            st.download_button(
                say("app.as-notebook"),
                notebook,
                f"{name}.ipynb",
                "application/x-ipynb+json",
                on_click="ignore",
                key="take-away-notebook",
            )


def shown_steps(
    page: PageState, machine: Machine, language: catalog.Language
) -> list[export.ShownStep]:
    """Return every step with its program and, where it was run, its answer."""
    shown = []
    for words in page.lesson.steps:
        state = page.steps.get(words.id)
        default = load_step(page.lesson.name, words.id)()
        step = step_state.on_machine(state.step if state else default, machine)
        is_known = state is not None and step in state.said
        try:
            lines = compute.run(step).lines if is_known else ()
        except PlaygroundError:  # then the program is exported without its answer
            lines = ()
        shown.append(
            export.ShownStep(
                id=words.id,
                title=words.title.said(language),
                prose=export.without_line_numbers(words.prose.said(language)),
                program=step.program(),
                lines=lines,
            )
        )
    return shown
