"""Limits of open pages, of clicks, and of the messages that a browser sends.

A page is a WebSocket. If too many are open, the next visitor sees a page that says so, and a bare
WebSocket is rejected before it is open. Clicks that come too fast wait.
"""

import asyncio
import logging
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting.framework_internals import query_length
from hosting.limits import OpenCounter
from hosting.metrics import DELAYED_CLICKS, OPEN_PAGES, Rejected, count_rejection
from hosting.requests import (
    client_address,
    language_of,
    requested_url,
    visitor_of_request,
    wants_page,
)
from hosting.responses import full_page, reject_websocket
from hosting.settings import Settings
from playground.sandbox.quotas import MINUTE, Bucket

BURST_SECONDS = 3  # clicks of so many seconds may come at once, as a slider sends them
RETRY_SECONDS = 30
MIN_WAIT_SECONDS = 0.005  # a shorter wait could be rounded to 0
MAX_QUERY_CHARACTERS = 32 * 1024  # our own longest links have 4,000
MESSAGE_TOO_BIG, UNSUPPORTED_DATA = 1009, 1003  # WebSocket close codes
_log = logging.getLogger(__name__)


class SessionLimits:
    """ASGI middleware that counts WebSockets and delays clicks that come too fast.

    Args:
        app: The application that is limited.
        settings: The limits.
        clock: The time, in seconds.
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._settings = settings
        self._clock = clock
        self._by_visitor = OpenCounter()
        self._by_address = OpenCounter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        elif scope["type"] == "http" and wants_page(scope) and (limit := self._limit_met(scope)):
            count_rejection(Rejected.PAGE)
            name, most = limit
            answer = full_page(
                name, language_of(scope), requested_url(scope), most=most, seconds=RETRY_SECONDS
            )
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _limit_met(self, scope: Scope) -> tuple[str, int] | None:
        """Return the sentence and the value of the limit that one more page would exceed."""
        who, settings = visitor_of_request(scope), self._settings
        address, each = client_address(scope), settings.most_sessions_per_visitor
        if who is not None and self._by_visitor.of(who.id) >= each:
            return "sessions-of-visitor", each
        if self._by_address.total >= settings.most_sessions:
            return "sessions", settings.most_sessions
        if self._by_address.of(address) >= settings.most_sessions_per_address:
            return "sessions-of-address", settings.most_sessions_per_address
        return None

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._limit_met(scope):
            count_rejection(Rejected.SESSION)
            await reject_websocket(receive, send)
            return
        who, address = visitor_of_request(scope), client_address(scope)
        self._by_address.add(address)
        OPEN_PAGES.inc()
        if who is not None:
            self._by_visitor.add(who.id)
        try:
            await self._app(scope, *self._bounded(receive, send))
        finally:
            self._by_address.remove(address)
            OPEN_PAGES.dec()
            if who is not None:
                self._by_visitor.remove(who.id)

    def _bounded(self, receive: Receive, send: Send) -> tuple[Receive, Send]:
        """Return both ends of a WebSocket with delayed clicks; a rejected message closes it."""
        rate = self._settings.reruns_per_second
        bucket = Bucket(rate * BURST_SECONDS, rate * MINUTE, self._clock())
        is_closed = False

        async def next_message() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            code = close_code(message)
            if code:
                nonlocal is_closed
                is_closed = True
                count_rejection(Rejected.MESSAGE)
                _log.warning("closed a page with code %d: it sent a message that is rejected", code)
                await send({"type": "websocket.close", "code": code})
                return {"type": "websocket.disconnect", "code": code}
            wait = bucket.take(self._clock())
            if wait:
                DELAYED_CLICKS.inc()
            while wait:
                await asyncio.sleep(max(wait, MIN_WAIT_SECONDS))
                wait = bucket.take(self._clock())
            return message

        async def send_unless_closed(message: Message) -> None:
            if not is_closed:  # uvicorn raises for messages after the close
                await send(message)

        return next_message, send_unless_closed


def close_code(message: Message) -> int:
    """Return the code with which a message closes its WebSocket; 0 if it is passed on.

    Messages above ``server.maxMessageSize`` are rejected by the server itself. Every run of a page
    parses the query string, so it may not fill a message.

    >>> close_code({"type": "websocket.receive", "text": "x"})
    1003
    """
    data = message.get("bytes")
    if data is None:
        return UNSUPPORTED_DATA  # Streamlit would fail with a traceback
    is_long = len(data) > MAX_QUERY_CHARACTERS and query_length(data) > MAX_QUERY_CHARACTERS
    return MESSAGE_TOO_BIG if is_long else 0
