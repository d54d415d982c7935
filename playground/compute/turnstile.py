"""Lets one measurement pass at a time, in whatever lane: two at once would time each other."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from playground.compute.progress import Progress
from playground.errors import QueueFullError

MOST_WAITING = 64
TELL_SECONDS = 0.2  # how often somebody who waits is told the place


class Turnstile:
    """One passes, the others wait in the order in which they came.

    Args:
        most_waiting: How many may wait.
    """

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._most_waiting = most_waiting
        self._changed = threading.Condition()
        self._line: deque[object] = deque()  # the first one has passed

    @contextmanager
    def passing(self, progress: Progress) -> Iterator[None]:
        """Wait for the turn; it ends with the ``with``.

        Args:
            progress: Is told the place, 1 is next, a few times a second from this thread. What it
                raises leaves the line and comes through.

        Raises:
            QueueFullError: ``queue_full``: too many wait already.
        """
        ticket = object()
        with self._changed:
            if len(self._line) > self._most_waiting:
                raise QueueFullError("queue_full", place=len(self._line))
            self._line.append(ticket)
        try:
            while (place := self._place(ticket)) > 0:
                progress.waits(place)  # outside the lock: it may draw, and it may raise
            yield
        finally:
            with self._changed:
                self._line.remove(ticket)
                self._changed.notify_all()

    def _place(self, ticket: object) -> int:
        """How many come before, after a while at most; 0 as soon as it is its turn."""
        with self._changed:
            self._changed.wait_for(lambda: self._line[0] is ticket, TELL_SECONDS)
            return self._line.index(ticket)
