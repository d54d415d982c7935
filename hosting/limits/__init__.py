"""Limits of the load that one visitor, and all of them, may cause.

``sessions`` limits open pages and clicks, ``uploads`` files. Here are what they count with, token
buckets per minute and counters of open resources, and the limit of experiments. Each rejection is a
sentence in the visitor's language. Runs in the lab are limited by ``playground.sandbox.quotas``.
"""

import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable

from hosting.metrics import Rejected, count_rejection
from hosting.settings import Settings
from playground.errors import TooManyExperimentsError
from playground.sandbox.quotas import Bucket

MAX_KEYS = 10_000  # that a limiter remembers; the ones unused for longest are dropped first


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
