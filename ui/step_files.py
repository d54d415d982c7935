"""Files of a step below its program: downloads, an inspected file, a link to the builder."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground import compute
from playground.compute.settings import Settings
from playground.errors import PlaygroundError
from playground.modules.spec import Network
from playground.steps import Answer, Files, Step, WriteFile
from ui import error_page, streamlit_internals, xray
from ui.html_escape import inline_to_html
from ui.language import current_language, say
from ui.navigation import PAGES
from ui.panel import controls
from ui.url_state import NETWORK

MIME = "application/octet-stream"


def draw(name: str, step: Step, answer: Answer | None) -> None:
    """Draw the files of a step and its link to the builder.

    Args:
        name: Prefix of the widgets' keys, made of the lesson and the step.
        step: The settings.
        answer: None before it is shown.
    """
    field = controls.network_field(step)
    if link := getattr(step, field) if field else "":
        st.page_link(
            PAGES / "builder.py",
            label=say("network.builder"),
            icon=":material/edit:",
            query_params={NETWORK: link},
        )
    files = step.files()
    if files is None:
        return
    if files.inspected and (answer or files.takes_upload):
        try:
            _inspect(name, files, answer)
        except PlaygroundError as error:
            st.warning(error_page.sentence(error, {}))
    if answer is None:
        return
    made = (*(WriteFile(of=step, file_name=each) for each in files.downloads), *files.more)
    if made:
        draw_downloads(st.container(), name, made)


def _inspect(name: str, files: Files, answer: Answer | None) -> None:
    """Inspect the uploaded file, or else the one that the program wrote."""
    card = xray.Card(name, current_language(), st.container(key=f"{name}_inspected"))
    file = xray.uploaded(card) if files.takes_upload else None
    if file is None:
        if answer is None:
            return
        file = xray.File(files.inspected, answer.file, f"{hash(answer.file)}")
    if files.network:
        network = Network.from_json(files.network)
        xray.look(card, file, network, is_strict=files.is_strict)
        if files.takes_upload:
            second = f"{name}_second"
            place = st.container(key=f"{second}_inspected")  # a refused file hides its own card
            xray.look_beside(card, file, xray.Card(second, card.language, place))
    else:
        xray.explain(card, file)


class FileReport(Protocol):
    """The report of settings that make a file."""

    @property
    def data(self) -> bytes:
        """The file's bytes."""


@dataclass(slots=True)
class DownloadStatus:
    """The error of the last download, which the next drawing shows as a sentence."""

    error: PlaygroundError | None = None


def file_maker(
    settings: Settings[FileReport], status: DownloadStatus, sentence: str
) -> Callable[[], bytes]:
    """Return a function that makes a file; Streamlit calls it in another thread, without a run.

    Args:
        settings: They make the file.
        status: Gets the error if there is none.
        sentence: Shown beside the button then.
    """

    def make() -> bytes:
        status.error = None
        try:
            return compute.run(settings).data
        except PlaygroundError as error:
            status.error = error
            streamlit_internals.set_download_error(sentence)
            raise

    return make


def draw_downloads(place: DeltaGenerator, name: str, files: Iterable[Settings[Any]]) -> None:
    """Draw a download button for each file; a file is made on the click.

    Args:
        place: The container of the buttons.
        name: Prefix of their keys.
        files: Settings, each with the ``file_name`` of the file that it makes.
    """
    statuses: list[DownloadStatus] = []
    with place.container(horizontal=True, gap="small", key=f"{name}_downloads"):
        for number, settings in enumerate(files):
            key = f"{name}_download-file{number}"
            status = st.session_state.setdefault(f"{key}-note", DownloadStatus())
            statuses.append(status)
            file_name = str(cast("Any", settings).file_name).rpartition("/")[2]
            st.download_button(
                say("download.file", name=file_name),
                file_maker(settings, status, say("download.not-made")),
                file_name,
                MIME,
                on_click="ignore",
                key=key,
                icon=":material/download:",
            )
    for status in statuses:
        if status.error:
            failed = say("download.failed", why=error_page.sentence(status.error, {}))
            place.html(f'<div class="tp-muted">{inline_to_html(failed)}</div>')
