"""Limits of the load that one visitor, and all of them, may cause.

Here are token buckets per minute and counters of open resources, and what they limit: experiments,
open pages, clicks, and the messages that a browser sends. ``upload_limits`` limits files with them,
and ``playground.sandbox.quotas`` runs in the lab.

A page is a WebSocket. If too many are open, the next visitor sees a page that says so, and a bare
WebSocket is rejected before it is open. Clicks that come too fast wait. Each rejection is one
sentence in the visitor's language.
"""

import asyncio
import logging
import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting.framework_internals import query_length
from hosting.login_and_error_pages import full_page, reject_websocket
from hosting.logs_and_metrics import DELAYED_CLICKS, OPEN_PAGES, Rejected, count_rejection
from hosting.requests import (
    client_address,
    language_of,
    requested_url,
    visitor_of_request,
    wants_page,
)
from hosting.settings import Settings
from playground.errors import TooManyExperimentsError
from playground.sandbox.quotas import MINUTE, Bucket

MAX_KEYS = 10_000  # that a limiter remembers; the ones unused for longest are dropped first
BURST_SECONDS = 3  # clicks of so many seconds may come at once, as a slider sends them
RETRY_SECONDS = 30
MIN_WAIT_SECONDS = 0.005  # a shorter wait could be rounded to 0
MAX_QUERY_CHARACTERS = 32 * 1024  # our own longest links have 4,000
MESSAGE_TOO_BIG, UNSUPPORTED_DATA = 1009, 1003  # WebSocket close codes
_log = logging.getLogger(__name__)


class RateLimiter:
    """Limits how often something happens in a minute, by key and in total; thread-safe.

    Args:
        each: Times a minute for one key.
        total: Times a minute for all keys.
        clock: The time, in seconds.

    >>> limiter = RateLimiter(each=1, total=2, clock=lambda: 0.0)
    >>> [limiter.take("a"), limiter.take("a"), limiter.take("b"), limiter.take("c")]
    [0.0, 60.0, 0.0, 30.0]
    """

    def __init__(
        self, *, each: int, total: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._each = each
        self._clock = clock
        self._total = Bucket(total, total, clock())
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, key: str) -> float:
        """Return the seconds until the next token; 0 if there is one. Nothing is taken."""
        with self._lock:
            return self._wait(self._bucket(key), self._clock())

    def take(self, key: str) -> float:
        """Take a token of the key's bucket and of the common one.

        Returns:
            0, or the seconds until there is a token; then none was taken.
        """
        with self._lock:
            bucket, now = self._bucket(key), self._clock()
            wait = self._wait(bucket, now)
            if not wait:
                bucket.take(now)
                self._total.take(now)
            return wait

    def _wait(self, bucket: Bucket, now: float) -> float:
        return max(bucket.wait(now), self._total.wait(now))

    def _bucket(self, key: str) -> Bucket:
        bucket = self._buckets.pop(key, None) or Bucket(self._each, self._each, self._clock())
        self._buckets[key] = bucket
        while len(self._buckets) > MAX_KEYS:
            self._buckets.popitem(last=False)
        return bucket


class OpenCounter:
    """Counts open resources by key and in total; used by one event loop, so not thread-safe.

    >>> counter = OpenCounter()
    >>> counter.add("a"); counter.add("a"); counter.remove("a")
    >>> counter.total, counter.of("a"), counter.of("b")
    (1, 1, 0)
    """

    def __init__(self) -> None:
        self.total = 0
        self._by_key: Counter[str] = Counter()

    def of(self, key: str) -> int:
        """Return the count of a key."""
        return self._by_key.get(key, 0)

    def add(self, key: str, amount: int = 1) -> None:
        """Count opened resources."""
        self._by_key[key] += amount
        self.total += amount

    def remove(self, key: str, amount: int = 1) -> None:
        """Count closed resources; a key without any is dropped."""
        self.total -= amount
        self._by_key[key] -= amount
        if not self._by_key[key]:
            del self._by_key[key]


_experiments: list[RateLimiter] = []


def limit_experiments(settings: Settings) -> None:
    """Limit the experiments of this process from now on."""
    each, total = settings.experiments_per_minute, settings.experiments_per_minute_in_all
    _experiments[:] = [RateLimiter(each=each, total=total)]


def admit_experiment(session: str) -> None:
    """Count one experiment of a session, cached or not.

    Raises:
        TooManyExperimentsError: ``experiments_too_often``: it must wait ``values["seconds"]``.
    """
    for limiter in _experiments:
        wait = limiter.take(session)
        if wait:
            count_rejection(Rejected.EXPERIMENT)
            raise TooManyExperimentsError("experiments_too_often", seconds=math.ceil(wait))


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
