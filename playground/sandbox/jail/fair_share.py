"""Whose run goes next: short runs soon; long runs, and those of heavy users, among themselves.

Few of the permits are given to long runs, so that a short one waits for short ones only. A run
is long if its limits allow more than the usual ones do, or if its visitor has recently used
more than a share. Among the long runs that wait, the visitor who has used least goes first: who
runs into the time limit again and again, waits for himself.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from playground.compute.fair_queue import FairQueue
from playground.errors import PlaygroundError
from playground.sandbox.limits import LIMITS, Limits

FREE_SECONDS = 1.0  # of each run, that count for nobody: who looks at small programs stays light
SHARE_SECONDS = 2.0  # beyond these, a visitor's runs count as long
HALF_LIFE_SECONDS = 60.0
MAX_VISITORS = 5_000  # that are remembered; who was seen first is forgotten first
OnWait = Callable[[int], None]


class Usage:
    """The seconds that visitors have used recently; what is a minute old counts half.

    Args:
        clock: Gives the time, in seconds.

    >>> now = [0.0]
    >>> usage = Usage(lambda: now[0])
    >>> usage.add("a", 5.0)
    >>> now[0] = 60.0
    >>> usage.of("a"), usage.of("b")
    (2.0, 0.0)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._used: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, visitor: str) -> float:
        """Return what a visitor has used recently."""
        with self._lock:
            return self._of(visitor)

    def add(self, visitor: str, seconds: float) -> None:
        """Count a run; of one without a visitor, nothing."""
        counted = seconds - FREE_SECONDS
        if not visitor or counted <= 0:
            return
        with self._lock:
            self._used[visitor] = (self._of(visitor) + counted, self._clock())
            self._used.move_to_end(visitor)
            while len(self._used) > MAX_VISITORS:
                self._used.popitem(last=False)

    def _of(self, visitor: str) -> float:
        used, at = self._used.get(visitor, (0.0, 0.0))
        return used * 0.5 ** ((self._clock() - at) / HALF_LIFE_SECONDS) if used else 0.0


class FairShare:
    """Permits for the runs of all visitors.

    Args:
        limits: How many at once, and how many may wait in each of the two queues.
        refuse: Makes the error for a run that finds too many waiting.
        usage: What visitors have used.
    """

    def __init__(
        self, limits: Limits, refuse: Callable[[int], PlaygroundError], usage: Usage | None = None
    ) -> None:
        self._all = FairQueue(range(limits.children), max_waiting=limits.waiting, refuse=refuse)
        long = range(limits.long_children)
        self._long = FairQueue(long, max_waiting=limits.waiting, refuse=refuse)
        self._usage = usage or Usage()

    @property
    def waiting(self) -> int:
        """How many runs wait for their turn."""
        return self._all.waiting + self._long.waiting

    @contextmanager
    def turn(self, visitor: str, limits: Limits, on_wait: OnWait | None = None) -> Iterator[None]:
        """Wait for a permit, and hold it for the time of the ``with``.

        Args:
            visitor: Who asks; any stable text, empty for the server itself.
            limits: Of the run.
            on_wait: As of ``FairQueue.acquire``.

        Raises:
            PlaygroundError: From ``refuse``: too many runs wait already.
        """
        used = self._usage.of(visitor)
        is_long = limits.cpu_seconds > LIMITS.cpu_seconds or used > SHARE_SECONDS
        permit = self._long.turn(on_wait, priority=used) if is_long else nullcontext()
        with permit, self._all.turn(on_wait):
            began = time.monotonic()
            try:
                yield
            finally:
                self._usage.add(visitor, time.monotonic() - began)
