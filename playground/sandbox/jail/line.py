"""The line before the jail: few runs at once, some more wait with a place, the rest are refused."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playground.errors import SandboxBusyError

TELL_SECONDS = 0.2  # how often somebody who waits is told the place


class Line:
    """Lets runs through in the order in which they came.

    Args:
        at_once: How many may be through at the same time.
        most_waiting: How many may wait.
    """

    def __init__(self, at_once: int, most_waiting: int) -> None:
        self._at_once = at_once
        self._most_waiting = most_waiting
        self._changed = threading.Condition()
        self._waiting: deque[object] = deque()
        self._through = 0

    @property
    def waiting(self) -> int:
        """How many wait now, not counting those who are about to get through."""
        return max(0, len(self._waiting) - (self._at_once - self._through))

    @contextmanager
    def turn(self, on_wait: Callable[[int], None] | None = None) -> Iterator[None]:
        """Wait for one's turn; the ``with`` is the turn.

        Args:
            on_wait: Called with the place (1 is next) a few times a second. What it raises leaves
                the line and comes through.

        Raises:
            SandboxBusyError: ``sandbox_busy``: too many wait already.
        """
        ticket = object()
        with self._changed:
            if not self._has_room() and (waiting := self.waiting) >= self._most_waiting:
                raise SandboxBusyError("sandbox_busy", waiting=waiting)
            self._waiting.append(ticket)
        self._wait(ticket, on_wait)
        try:
            yield
        finally:
            with self._changed:
                self._through -= 1
                self._changed.notify_all()

    def _wait(self, ticket: object, on_wait: Callable[[int], None] | None) -> None:
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._is_turn_of(ticket), TELL_SECONDS)
                    if self._is_turn_of(ticket):
                        self._through += 1
                        return
                    place = self._waiting.index(ticket) + 1
                if on_wait:
                    on_wait(place)  # outside the lock: it may draw, and it may raise
        finally:
            with self._changed:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def _has_room(self) -> bool:
        return len(self._waiting) < self._at_once - self._through

    def _is_turn_of(self, ticket: object) -> bool:
        return ticket in list(self._waiting)[: max(0, self._at_once - self._through)]
