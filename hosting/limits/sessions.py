"""How many pages may be open at once, and how fast one of them may be clicked.

A page is a websocket. Where there are too many, the next visitor is told so instead of a page; who
comes with a websocket of their own is refused before it is open. Clicks that come too fast wait.
"""

import asyncio
import logging
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting import visitor
from hosting.gate.refusing import asked_of, refuse_websocket, wants_page
from hosting.limits.messages import close_code
from hosting.limits.refusal import full_page
from hosting.limits.tally import Tally
from hosting.metrics import refusals
from hosting.metrics.refusals import DELAYED, Refused
from hosting.settings import Settings
from hosting.words import language_of
from playground.sandbox.quotas import MINUTE, Bucket

BURST_SECONDS = 3  # so many seconds' worth of clicks may come at once, as a slider sends them
RETRY_SECONDS = 30
LEAST_WAIT = 0.005  # below it, rounding could make a wait of no length
_log = logging.getLogger(__name__)
_all_open = Tally()  # of this process, for the metrics


def open_pages() -> int:
    """How many pages are open."""
    return _all_open.total


class SessionLimits:
    """Counts websockets, and slows down those that send too much.

    Args:
        app: What stands behind.
        settings: How many, and how fast.
        clock: Gives the time, in seconds.
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._settings = settings
        self._clock = clock
        self._by_visitor = Tally()
        self._by_address = Tally()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or refuse."""
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        elif scope["type"] == "http" and wants_page(scope) and (met := self._limit_met(scope)):
            refusals.note(Refused.PAGE)
            name, most = met
            answer = full_page(
                name, language_of(scope), asked_of(scope), most=most, seconds=RETRY_SECONDS
            )
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _limit_met(self, scope: Scope) -> tuple[str, int] | None:
        """What to say about the limit that one more page would break, and its number."""
        who, settings = visitor.of(scope), self._settings
        address, each = visitor.address(scope), settings.most_sessions_per_visitor
        if who is not None and self._by_visitor.of(who.id) >= each:
            return "sessions-of-visitor", each
        if self._by_address.total >= settings.most_sessions:
            return "sessions", settings.most_sessions
        if self._by_address.of(address) >= settings.most_sessions_per_address:
            return "sessions-of-address", settings.most_sessions_per_address
        return None

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._limit_met(scope):
            refusals.note(Refused.SESSION)
            await refuse_websocket(receive, send)
            return
        who, address = visitor.of(scope), visitor.address(scope)
        self._by_address.add(address)
        _all_open.add(address)
        if who is not None:
            self._by_visitor.add(who.id)
        try:
            await self._app(scope, *self._bounded(receive, send))
        finally:
            self._by_address.drop(address)
            _all_open.drop(address)
            if who is not None:
                self._by_visitor.drop(who.id)

    def _bounded(self, receive: Receive, send: Send) -> tuple[Receive, Send]:
        """The two ends of one websocket, no faster than it may click; bad messages end it."""
        rate = self._settings.reruns_per_second
        bucket = Bucket(rate * BURST_SECONDS, rate * MINUTE, self._clock())
        has_ended = False

        async def next_message() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            code = close_code(message)
            if code:
                nonlocal has_ended
                has_ended = True
                refusals.note(Refused.MESSAGE)
                _log.warning("a page sent a message that is refused; it was closed with %d", code)
                await send({"type": "websocket.close", "code": code})
                return {"type": "websocket.disconnect", "code": code}
            wait = bucket.take(self._clock())
            if wait:
                DELAYED.inc()
            while wait:
                await asyncio.sleep(max(wait, LEAST_WAIT))
                wait = bucket.take(self._clock())
            return message

        async def send_unless_ended(message: Message) -> None:
            if not has_ended:  # what a run still sends then would be an error of the server
                await send(message)

        return next_message, send_unless_ended
