"""How many files may come, how fast, and how much memory they may take together.

Streamlit takes a file from whoever has a session, whether or not its page asks for one; what a page
says about size is checked by the browser alone. So this looks at the request itself, before a byte
of it is read, and never touches its body.
"""

import asyncio
import math
import re
import time
from collections.abc import Callable, Mapping

import streamlit as st
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting.buckets import Buckets
from hosting.limits.kept_files import kept_bytes
from hosting.limits.refusal import sentence
from hosting.limits.tally import Tally
from hosting.metrics import refusals
from hosting.metrics.refusals import Refused
from hosting.settings import Settings
from hosting.words import language_of
from playground.units import MEBIBYTE

PATH = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?")
AROUND = 64 * 1024  # bytes: the multipart envelope of a file
MOST_OF_ONE = 2  # files of one session on their way at once
MOST_SECONDS = 300.0  # for one file
MOST_DIGITS = 15  # of a length
ALL_SESSIONS = 40  # times one session's rate: what all of them may send


def keep_in_memory() -> None:
    """Let no file of a student touch the disk on its way: it may be full, and need not know them.

    How much memory that may take is what ``UploadLimits`` counts.
    """
    largest = int(st.get_option("server.maxUploadSize")) * MEBIBYTE
    MultiPartParser.spool_max_size = largest + AROUND


class UploadLimits:
    """Counts the files on their way and those that are kept.

    Args:
        app: What stands behind.
        settings: How many, how fast and how large together.
        kept: Bytes that are kept already, by session.
        most_seconds: How long one file may be on its way.
        clock: Gives the time, in seconds.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        kept: Callable[[], Mapping[str, int]] = kept_bytes,
        most_seconds: float = MOST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._settings = settings
        self._kept = kept
        self._most_seconds = most_seconds
        each = settings.uploads_per_minute
        self._rate = Buckets(each=each, together=each * ALL_SESSIONS, clock=clock)
        self._coming = Tally()
        self._coming_bytes = Tally()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is no upload; let an upload in, or refuse it."""
        upload = PATH.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if upload is None or scope["method"] != "PUT":
            await self._app(scope, receive, send)
            return
        session, length = upload[1], _length(scope)
        refusal = self._refusal(session, length, language_of(scope))
        if refusal is not None:
            refusals.note(Refused.UPLOAD)
            await refusal(scope, receive, send)
            return
        self._coming.add(session)
        self._coming_bytes.add(session, length)
        try:
            await self._within_time(scope, receive, send)
        finally:
            self._coming.drop(session)
            self._coming_bytes.drop(session, length)

    def _refusal(self, session: str, length: int, language: str) -> Response | None:
        settings, most = self._settings, int(st.get_option("server.maxUploadSize"))
        if length < 0:
            return sentence("upload-no-length", language, status=411)
        if length > most * MEBIBYTE + AROUND:
            return sentence("upload-too-large", language, status=413, most=most)
        coming = self._coming
        if coming.total >= settings.uploads_at_once or coming.of(session) >= MOST_OF_ONE:
            return sentence("uploads-at-once", language, status=429, seconds=1)
        kept = self._kept()
        own = kept.get(session, 0) + self._coming_bytes.of(session) + length
        if own > settings.upload_megabytes * MEBIBYTE:
            most = settings.upload_megabytes
            return sentence("upload-kept", language, status=413, most=most)
        everything = sum(kept.values()) + self._coming_bytes.total + length
        if everything > settings.upload_megabytes_in_all * MEBIBYTE:
            return sentence("upload-kept-in-all", language, status=503, seconds=120)
        wait = self._rate.take(session)
        if wait:
            return sentence("uploads-often", language, status=429, seconds=math.ceil(wait))
        return None

    async def _within_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the upload on; one that never ends frees its place."""
        is_answered = False

        async def note(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        try:
            async with asyncio.timeout(self._most_seconds):
                await self._app(scope, receive, note)
        except TimeoutError:
            if not is_answered:
                answer = sentence("upload-too-slow", language_of(scope), status=408)
                await answer(scope, receive, send)


def _length(scope: Scope) -> int:
    """What the request says about its length; -1 where it says nothing usable."""
    told = Headers(scope=scope).get("content-length", "")
    return int(told) if told.isascii() and told.isdigit() and len(told) <= MOST_DIGITS else -1
