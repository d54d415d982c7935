"""A file to take away: made when it is asked for, by a worker, and kept by nobody."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground import compute
from playground.compute.settings import Settings
from playground.errors import PlaygroundError
from ui import deferred, failures
from ui.quoting import quote_markdown
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


def offer(place: DeltaGenerator, name: str, files: Iterable[Settings[Any]]) -> None:
    """Offer files, each made on a click.

    Args:
        place: Where the buttons stand.
        name: In front of their keys.
        files: Settings, each with the ``file_name`` of what it makes.
    """
    notes: list[Note] = []
    with place.container(horizontal=True, gap="small", key=f"{name}_downloads"):
        for number, settings in enumerate(files):
            key = f"{name}_download-file{number}"
            note = st.session_state.setdefault(f"{key}-note", Note())
            notes.append(note)
            file_name = str(cast("Any", settings).file_name).rpartition("/")[2]
            st.download_button(
                say("download.file", name=file_name),
                maker(settings, note, say("download.not-made")),
                file_name,
                MIME,
                on_click="ignore",
                key=key,
                icon=":material/download:",
            )
    for note in notes:
        if note.error:
            told = say("download.failed", why=failures.sentence(note.error, {}))
            place.html(f'<div class="tp-muted">{quote_markdown(told)}</div>')
