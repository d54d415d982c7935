"""The file that is looked into: one that was brought, within limits, or one that was made."""

import time
from dataclasses import dataclass, field

import streamlit as st

from playground.errors import UploadRefusedError
from playground.sandbox.limits import LIMITS
from playground.sandbox.quotas import Bucket
from playground.units import MEBIBYTE
from ui import uploader
from ui.words import say
from ui.xray.card import Card

FIELD = "upload"
BUCKET = "xray-bucket"
SEEN = "xray-seen"


@dataclass(frozen=True, slots=True)
class File:
    """A file while the page is drawn; nothing keeps it.

    Args:
        name: What its owner calls it.
        data: Its bytes.
        id: Tells it from others, without its bytes.
    """

    name: str
    data: bytes = field(repr=False)
    id: str


def most_mebibytes() -> int:
    """How large a file may be that is brought here; the server's own limit."""
    return min(int(st.get_option("server.maxUploadSize")), LIMITS.data_bytes // MEBIBYTE)


def brought(card: Card) -> File | None:
    """The file that the visitor has dropped; None where there is none.

    Raises:
        UploadRefusedError: It is too large, or the session has brought too many within a minute.
    """
    most = most_mebibytes()
    given = card.place.file_uploader(
        say("xray.upload"),
        max_upload_size=most,
        key=card.key(FIELD),
        help=say("xray.upload-help", most=most),
    )
    uploader.say_words(card.place, most)
    if given is None:
        return None
    if given.size > most * MEBIBYTE:  # the browser was told, but need not obey
        raise UploadRefusedError("upload_too_large", given=given.size, most=most)
    _count(str(given.file_id))
    return File(given.name, given.getvalue(), str(given.file_id))


def _count(file_id: str) -> None:
    """Count a file that was not looked at before."""
    if st.session_state.get(SEEN) == file_id:
        return
    most = LIMITS.inspections_per_minute
    now = time.monotonic()
    bucket = st.session_state.setdefault(BUCKET, Bucket(most, most, now))
    wait = bucket.take(now)
    if wait:
        raise UploadRefusedError("upload_too_often", seconds=max(1, round(wait)), most=most)
    st.session_state[SEEN] = file_id
