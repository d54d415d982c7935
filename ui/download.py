"""A file to take away: made when it is asked for, by a worker, and kept by nobody."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast

import streamlit as st

from playground import compute
from playground.compute.settings import Settings
from playground.errors import PlaygroundError
from ui import deferred, failures
from ui.modes import Mode
from ui.quoting import quote_markdown
from ui.step import Step
from ui.words import say

MIME = "application/octet-stream"


class Made(Protocol):
    """The report of settings that make a file."""

    @property
    def data(self) -> bytes:
        """The file."""


@dataclass(slots=True)
class Note:
    """What kept the last file from being made; the next drawing says it in words."""

    error: PlaygroundError | None = None


def maker(settings: Settings[Made], note: Note, sentence: str) -> Callable[[], bytes]:
    """What is called on a click, in another thread, without a Streamlit run.

    Args:
        settings: Make the file.
        note: Gets the reason where there is none.
        sentence: Said beside the button then.
    """

    def make() -> bytes:
        note.error = None
        try:
            return compute.run(settings).data
        except PlaygroundError as error:
            note.error = error
            deferred.fail_saying(sentence)
            raise

    return make


def offer(step: Step, *files: Settings[Made], heading: str = "") -> None:
    """Offer files of a step that has shown its answer.

    Args:
        step: Shows the buttons.
        files: Settings, each with the ``file_name`` of what it makes.
        heading: The label of what stands above them; none where the step has one file only.
    """
    if step.mode is not Mode.DRAWING or not step.is_revealed:
        return
    place = step.place()
    if place is None:
        return
    if heading:
        place.caption(step.label(heading))
    deferred.install()
    notes: list[Note] = []
    with place.container(horizontal=True, gap="small", key=step.key("downloads")):
        for number, settings in enumerate(files):
            key = step.key(f"download-file{number}")
            note = st.session_state.setdefault(f"{key}-note", Note())
            notes.append(note)
            name: str = cast("Any", settings).file_name
            st.download_button(
                say("download.file", name=name),
                maker(settings, note, say("download.not-made")),
                name,
                MIME,
                on_click="ignore",
                key=key,
                icon=":material/download:",
            )
    for note in notes:
        if note.error:
            told = say("download.failed", why=failures.sentence(note.error, step.words))
            place.html(f'<div class="tp-muted">{quote_markdown(told)}</div>')
