"""Rates: one bucket of tokens for all, one for each who asks; bounded in number."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from playground.sandbox.quotas import Bucket

MOST_KEPT = 10_000  # the ones unused for longest go first


class Buckets:
    """How often something may be done in a minute; safe to use from many threads.

    Args:
        each: By one who asks.
        together: By all.
        clock: Gives the time, in seconds.

    >>> buckets = Buckets(each=1, together=2, clock=lambda: 0.0)
    >>> [buckets.take("a"), buckets.take("a"), buckets.take("b"), buckets.take("c")]
    [0.0, 60.0, 0.0, 30.0]
    """

    def __init__(
        self, *, each: int, together: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._each = each
        self._clock = clock
        self._together = Bucket(together, together, clock())
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, who: str) -> float:
        """In how many seconds somebody may; 0 means now. Nothing is taken."""
        with self._lock:
            return self._wait(self._bucket(who), self._clock())

    def take(self, who: str) -> float:
        """Take a token of both buckets.

        Returns:
            0, or in how many seconds there will be one; then none was taken.
        """
        with self._lock:
            bucket, now = self._bucket(who), self._clock()
            wait = self._wait(bucket, now)
            if not wait:
                bucket.take(now)
                self._together.take(now)
            return wait

    def _wait(self, bucket: Bucket, now: float) -> float:
        return max(bucket.wait(now), self._together.wait(now))

    def _bucket(self, who: str) -> Bucket:
        bucket = self._buckets.pop(who, None) or Bucket(self._each, self._each, self._clock())
        self._buckets[who] = bucket
        while len(self._buckets) > MOST_KEPT:
            self._buckets.popitem(last=False)
        return bucket
