"""Rate limits of runs, by token bucket: for each session, and for all of them together.

A session's own bucket is lost when its page is reloaded, so there is a common one as well.
"""

import dataclasses
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playground.errors import RunQuotaError
from playground.sandbox.limits import LIMITS

MINUTE = 60.0
MAX_SESSIONS = 5_000  # whose buckets are kept; the oldest unused one goes first


class Bucket:
    """A token bucket.

    Args:
        size: How many there are at most.
        per_minute: How many are refilled in a minute.
        now: The time, in seconds.

    >>> bucket = Bucket(2, per_minute=60, now=0.0)
    >>> [bucket.take(0.0), bucket.take(0.0), bucket.take(0.0), bucket.take(1.5)]
    [0.0, 0.0, 1.0, 0.0]
    """

    def __init__(self, size: int, per_minute: float, now: float) -> None:
        self._size = size
        self._per_second = per_minute / MINUTE
        self._tokens = float(size)
        self._seen = now

    def take(self, now: float) -> float:
        """Take one token.

        Returns:
            0, or in how many seconds there will be one; then none was taken.
        """
        wait = self.wait(now)
        if not wait:
            self._tokens -= 1.0
        return wait

    def wait(self, now: float) -> float:
        """Return in how many seconds there will be a token."""
        back = max(0.0, now - self._seen) * self._per_second
        self._tokens = min(float(self._size), self._tokens + back)
        self._seen = max(now, self._seen)
        return 0.0 if self._tokens >= 1.0 else (1.0 - self._tokens) / self._per_second


class Quotas:
    """The buckets of the server; safe to use from many threads.

    Args:
        per_minute: How often all sessions together may.
        clock: Gives the time, in seconds.
    """

    def __init__(
        self,
        per_minute: int = 1_200,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = LIMITS
        self._clock = clock
        self._all = Bucket(per_minute, per_minute, clock())
        self._sessions: OrderedDict[str, Bucket] = OrderedDict()
        self._running: set[str] = set()
        self._lock = threading.Lock()

    def allow(self, *, per_session: int, together: int) -> None:
        """Set the operator's limits per minute; all buckets are full again."""
        with self._lock:
            self._limits = dataclasses.replace(self._limits, runs_per_minute=per_session)
            self._all = Bucket(together, together, self._clock())
            self._sessions.clear()

    @contextmanager
    def turn(self, session: str) -> Iterator[None]:
        """Hold the one run of a session.

        Args:
            session: Who asks; any stable text.

        Raises:
            RunQuotaError: ``run_going_on``: another one of this session is running.
                ``run_too_often``: the session must wait for ``values["seconds"]``.
                ``run_too_many``: all sessions must.
        """
        with self._lock:
            self._admit(session)
            self._running.add(session)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(session)

    def _admit(self, session: str) -> None:
        if session in self._running:
            raise RunQuotaError("run_going_on")
        now = self._clock()
        bucket = self._bucket(session, now)
        own, common = bucket.wait(now), self._all.wait(now)
        if own:
            most = self._limits.runs_per_minute
            raise RunQuotaError("run_too_often", seconds=_whole(own), most=most)
        if common:
            raise RunQuotaError("run_too_many", seconds=_whole(common))
        bucket.take(now)
        self._all.take(now)

    def _bucket(self, session: str, now: float) -> Bucket:
        bucket = self._sessions.pop(session, None)
        if bucket is None:
            most = self._limits.runs_per_minute
            bucket = Bucket(most, most, now)
        self._sessions[session] = bucket
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return bucket


def _whole(seconds: float) -> int:
    """Round seconds up."""
    return max(1, int(-(-seconds // 1)))


QUOTAS = Quotas()  # of this server
