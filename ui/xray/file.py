"""The inspected file: its card, upload within limits, inspection and loading, each done once.

Inspections compute in the web process, so only a few run at once on the whole server.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground import catalog
from playground.checkpoints.difference import DifferenceReport, compare_files
from playground.checkpoints.inspect import inspect
from playground.checkpoints.inspect.disassembly import Disassembly, disassemble
from playground.checkpoints.inspect.results import Inspection, Path
from playground.checkpoints.load import LoadReport, load
from playground.compute.fair_queue import FairQueue
from playground.errors import QueueFullError, UploadRefusedError
from playground.modules.spec import Network
from playground.sandbox.limits import LIMITS
from playground.sandbox.quotas import Bucket
from playground.units import MEBIBYTE
from ui.language import say, translate_uploader
from ui.step_run import WaitingNote

FIELD = "upload"
BUCKET = "xray-bucket"
SEEN = "counted"
Report = TypeVar("Report")
QUEUE = FairQueue(range(LIMITS.inspections_at_once), max_waiting=LIMITS.inspections_waiting)


class Card:
    """The container of an inspection, and the keys of its widgets.

    Args:
        name: Prefix of the widgets' keys.
        language: The language of its sentences.
        place: The container.
    """

    def __init__(self, name: str, language: catalog.Language, place: DeltaGenerator) -> None:
        self.language = language
        self.place = place
        self._name = name
        self._waiting = WaitingNote()

    def key(self, field: str) -> str:
        """Return the key of a widget, or of a value in the session."""
        return f"{self._name}_{field}"

    def wait(self, place: int) -> None:
        """Show the place of the inspection in the queue."""
        words = "step.waiting" if place else "step.starting"
        self._waiting.show(self.place, words, place=place)

    def stop_waiting(self) -> None:
        """Remove the sentence about the queue."""
        self._waiting.end()


@dataclass(frozen=True, slots=True)
class File:
    """A file while the page is drawn; the session does not store it.

    Args:
        name: The file's name.
        data: Its bytes.
        id: Identifies it without its bytes.
    """

    name: str
    data: bytes = field(repr=False)
    id: str


def max_mebibytes() -> int:
    """Return the largest size of an upload; the server's own limit may be smaller."""
    return min(int(st.get_option("server.maxUploadSize")), LIMITS.file_bytes // MEBIBYTE)


def uploaded(card: Card, label: str = "") -> File | None:
    """Draw the upload field, and return the uploaded file or None.

    Args:
        card: Gets the field.
        label: Of the field, where it is not the first one.

    Raises:
        UploadRefusedError: It is too large, or the session has uploaded too many within a minute.
    """
    most = max_mebibytes()
    given = card.place.file_uploader(
        label or say("xray.upload"),
        max_upload_size=most,
        key=card.key(FIELD),
        help=say("xray.upload-help", most=most),
    )
    translate_uploader(card.place, most)
    if given is None:
        return None
    if given.size > most * MEBIBYTE:  # the browser knows the limit, but need not obey
        raise UploadRefusedError("upload_too_large", given=given.size, most=most)
    _count_upload(card.key(SEEN), str(given.file_id))
    return File(given.name, given.getvalue(), str(given.file_id))


def _count_upload(seen: str, file_id: str) -> None:
    """Count a new file against the limit per minute, unless it was the last one of its card."""
    if st.session_state.get(seen) == file_id:
        return
    most = LIMITS.inspections_per_minute
    now = time.monotonic()
    bucket = st.session_state.setdefault(BUCKET, Bucket(most, most, now))
    wait = bucket.take(now)
    if wait:
        raise UploadRefusedError("upload_too_often", seconds=max(1, round(wait)), most=most)
    st.session_state[seen] = file_id


@dataclass(frozen=True, slots=True)
class Inspected:
    """The inspection of a file; of a refused one also the disassembly of its pickle."""

    of: str  # the file's id
    inspection: Inspection
    disassembly: Disassembly | None = None


def inspection_of(card: Card, file: File) -> Inspected:
    """Inspect a file once it is its turn, or return the stored inspection.

    Args:
        card: Shows its place in the queue.
        file: The file.

    Raises:
        UploadRefusedError: Too many wait already.
    """
    key = card.key("seen")
    kept = st.session_state.get(key)
    if isinstance(kept, Inspected) and kept.of == file.id:
        return kept
    st.session_state.pop(key, None)
    try:
        with QUEUE.turn(card.wait):
            inspection = inspect(file.data, file.name)
            disassembly = None if inspection.accepted else disassemble(file.data)
    except QueueFullError:
        raise UploadRefusedError("inspections_busy") from None
    finally:
        card.stop_waiting()
    seen = st.session_state[key] = Inspected(file.id, inspection, disassembly)
    return seen


def load_report(
    card: Card, file: File, inspection: Inspection, network: Network, part: Path | None
) -> LoadReport:
    """Load a file in the jail, or return the stored report.

    Raises:
        PlaygroundError: The network cannot be built, or is larger than any file here.
    """
    text = network.to_json()

    def make() -> LoadReport:
        return load(
            file.data,
            file.name,
            inspection=inspection,
            network=text,
            part=part,
            on_wait=card.wait,
        )

    return _stored(card, "loading", (file.id, text, part), make)


def difference_report(
    card: Card, files: tuple[File, File], inspections: tuple[Inspection, Inspection]
) -> DifferenceReport:
    """Compare two accepted files, or return the stored report.

    Args:
        card: Of the second file.
        files: Both.
        inspections: Of both.
    """
    first, second = files

    def make() -> DifferenceReport:
        return compare_files(first.data, second.data, inspections, on_wait=card.wait)

    return _stored(card, "second-loading", (first.id, second.id), make)


def _stored(card: Card, words: str, of: tuple[object, ...], make: Callable[[], Report]) -> Report:
    """Make a report beside a sentence, or return the stored one; never the files themselves.

    Args:
        card: Shows the sentence.
        words: The id of the sentence.
        of: What the report depends on.
        make: Makes it.
    """
    key = card.key(words)
    stored: tuple[object, Report] | None = st.session_state.get(key)
    if stored and stored[0] == of:
        return stored[1]
    st.session_state.pop(key, None)
    place = card.place.empty()
    try:
        with place, st.spinner(say(f"xray.{words}"), show_time=False):
            report = make()
    finally:
        card.stop_waiting()
        place.empty()
    st.session_state[key] = of, report
    return report
