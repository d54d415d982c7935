"""Limits of uploaded files: their number, rate, duration, and memory in total.

Streamlit accepts a file of every session, even if its page has no uploader, and only the browser
checks the size that a page allows. So the middleware checks the request itself before a byte is
read, and never touches its body.
"""

import asyncio
import math
import re
import time
from collections.abc import Callable, Mapping

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting import framework_internals
from hosting.limits import OpenCounter, RateLimiter
from hosting.login_and_error_pages import plain_sentence
from hosting.logs_and_metrics import Rejected, count_rejection
from hosting.requests import language_of
from hosting.settings import Settings
from playground.units import MEBIBYTE

PATH = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?")
MULTIPART_OVERHEAD_BYTES = 64 * 1024  # of the form around a file
MAX_OF_SESSION = 2  # uploads of one session at once
TIMEOUT_SECONDS = 300.0  # of one upload
MAX_LENGTH_DIGITS = 15
TOTAL_FACTOR = 40  # times the rate of one session, for all of them


def keep_in_memory() -> None:
    """Parse uploads in memory; ``UploadLimits`` limits how much that takes."""
    framework_internals.keep_uploads_in_memory(
        _max_upload_megabytes() * MEBIBYTE + MULTIPART_OVERHEAD_BYTES
    )


class UploadLimits:
    """ASGI middleware that limits running uploads and the files in memory.

    Args:
        app: The application that is limited.
        settings: The limits.
        kept_bytes: Returns the bytes of files in memory, by session.
        timeout_seconds: Of one upload.
        clock: The time, in seconds.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        kept_bytes: Callable[[], Mapping[str, int]] = framework_internals.uploaded_bytes,
        timeout_seconds: float = TIMEOUT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._settings = settings
        self._kept_bytes = kept_bytes
        self._timeout_seconds = timeout_seconds
        each = settings.uploads_per_minute
        self._rate = RateLimiter(each=each, total=each * TOTAL_FACTOR, clock=clock)
        self._running = OpenCounter()
        self._running_bytes = OpenCounter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        upload = PATH.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if upload is None or scope["method"] != "PUT":
            await self._app(scope, receive, send)
            return
        session, length = upload[1], _length(scope)
        rejection = self._rejection(session, length, language_of(scope))
        if rejection is not None:
            count_rejection(Rejected.UPLOAD)
            await rejection(scope, receive, send)
            return
        self._running.add(session)
        self._running_bytes.add(session, length)
        try:
            await self._with_timeout(scope, receive, send)
        finally:
            self._running.remove(session)
            self._running_bytes.remove(session, length)

    def _rejection(self, session: str, length: int, language: str) -> Response | None:
        settings, most = self._settings, _max_upload_megabytes()
        if length < 0:
            return plain_sentence("upload-no-length", language, status=411)
        if length > most * MEBIBYTE + MULTIPART_OVERHEAD_BYTES:
            return plain_sentence("upload-too-large", language, status=413, most=most)
        running = self._running
        if running.total >= settings.uploads_at_once or running.of(session) >= MAX_OF_SESSION:
            return plain_sentence("uploads-at-once", language, status=429, seconds=1)
        kept = self._kept_bytes()
        own = kept.get(session, 0) + self._running_bytes.of(session) + length
        if own > settings.upload_megabytes * MEBIBYTE:
            most = settings.upload_megabytes
            return plain_sentence("upload-kept", language, status=413, most=most)
        everything = sum(kept.values()) + self._running_bytes.total + length
        if everything > settings.upload_megabytes_in_all * MEBIBYTE:
            return plain_sentence("upload-kept-in-all", language, status=503, seconds=120)
        wait = self._rate.take(session)
        if wait:
            return plain_sentence("uploads-often", language, status=429, seconds=math.ceil(wait))
        return None

    async def _with_timeout(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the upload on, for a limited time."""
        is_answered = False

        async def send_and_note(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        try:
            async with asyncio.timeout(self._timeout_seconds):
                await self._app(scope, receive, send_and_note)
        except TimeoutError:
            if not is_answered:
                answer = plain_sentence("upload-too-slow", language_of(scope), status=408)
                await answer(scope, receive, send)


def _length(scope: Scope) -> int:
    """Return the length that a request declares; -1 if there is none, or an invalid one."""
    text = Headers(scope=scope).get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_LENGTH_DIGITS else -1


def _max_upload_megabytes() -> int:
    return int(st.get_option("server.maxUploadSize"))
