"""Below a step's program: files to take away, a file under inspection, the way to the builder."""

import streamlit as st

from playground import catalog
from playground.errors import PlaygroundError
from playground.modules.spec import Network
from playground.steps import Answer, Files, Step, WriteFile
from ui import download, failures, language, xray
from ui.address import page_of
from ui.network import BUILDER, BUILDER_PARAMETER
from ui.panel import controls
from ui.words import say


def draw(name: str, step: Step, answer: Answer | None) -> None:
    """Draw what a step has below its program, once its answer is shown.

    Args:
        name: In front of the keys of its widgets: of the lesson and of the step.
        step: The settings.
        answer: None before it is shown.
    """
    field = controls.network_field(step)
    if link := getattr(step, field) if field else "":
        st.page_link(
            page_of(catalog.lesson(BUILDER)),
            label=say("network.builder"),
            icon=":material/edit:",
            query_params={BUILDER_PARAMETER: link},
        )
    files = step.files()
    if files is None:
        return
    if files.inspected and (answer or files.takes_upload):
        try:
            _inspect(name, files, answer)
        except PlaygroundError as error:
            st.warning(failures.sentence(error, {}))
    if answer is None:
        return
    made = (*(WriteFile(of=step, file_name=each) for each in files.downloads), *files.more)
    if made:
        download.offer(st.container(), name, made)


def _inspect(name: str, files: Files, answer: Answer | None) -> None:
    """Look into the file that was brought, or else into the one that the program wrote, if any."""
    card = xray.Card(name, language.current(), st.container(key=f"{name}_inspected"))
    file = xray.brought(card) if files.takes_upload else None
    if file is None:
        if answer is None:
            return
        file = xray.File(files.inspected, answer.file, f"{hash(answer.file)}")
    if files.network:
        network = Network.from_json(files.network)
        xray.look(card, file, network, is_strict=files.is_strict)
    else:
        xray.explain(card, file)
