"""First-in, first-out queue before a few shared items: worker supervisors, or permits to run.

Callers get an item in the order of their arrival. How many may wait is bounded, and a waiting
caller learns its place, so that a page can show it.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import Generic, TypeVar

from playground.errors import PlaygroundError, QueueFullError

ItemT = TypeVar("ItemT")
REPORT_SECONDS = 0.2  # interval at which a waiting caller learns its place


@dataclass(frozen=True, slots=True, eq=False)
class _Ticket:
    is_exclusive: bool
    priority: float


def queue_full(waiting: int) -> PlaygroundError:
    """Make the error for a caller that finds so many others waiting."""
    return QueueFullError("queue_full", place=waiting + 1)


class FairQueue(Generic[ItemT]):
    """Hands out items to callers in the order of their arrival.

    Args:
        items: The items; ``range(n)`` for n permits.
        max_waiting: How many callers may wait; further ones are refused.
        refuse: Makes the error for a refused caller from the number of those that wait.

    Attributes:
        changed: The lock. Hold it to read or change ``free`` and ``busy``; it may be acquired
            several times by one thread.
        free: Items that can be handed out, the next one last.
        busy: Items in use.
    """

    def __init__(
        self,
        items: Iterable[ItemT] = (),
        *,
        max_waiting: int,
        refuse: Callable[[int], PlaygroundError] = queue_full,
    ) -> None:
        self.changed = threading.Condition()
        self.free: list[ItemT] = list(items)
        self.busy: list[ItemT] = []
        self._max_waiting = max_waiting
        self._refuse = refuse
        self._tickets: list[_Ticket] = []
        self._is_exclusive = False

    @property
    def waiting(self) -> int:
        """The number of waiting callers, without those that are about to get an item."""
        with self.changed:
            return len(self._tickets) - self._startable()

    @property
    def is_exclusive(self) -> bool:
        """True while one caller uses an item alone."""
        return self._is_exclusive

    @contextmanager
    def turn(
        self, on_wait: Callable[[int], None] | None = None, *, priority: float = 0.0
    ) -> Iterator[ItemT]:
        """Wait for an item, and release it at the end of the ``with``; see ``acquire``."""
        item = self.acquire(on_wait, priority=priority)
        try:
            yield item
        finally:
            self.release(item)

    def acquire(
        self,
        on_wait: Callable[[int], None] | None = None,
        *,
        is_exclusive: bool = False,
        priority: float = 0.0,
    ) -> ItemT:
        """Wait for an item; give it back with ``release``.

        Args:
            on_wait: Called from this thread with the place in the queue (1 is next), a few times a
                second. An exception that it raises leaves the queue and propagates.
            is_exclusive: Wait until no other item is in use, and keep the others from starting.
            priority: Callers with a smaller number go first; those with the same, as they come.

        Raises:
            PlaygroundError: From ``refuse``: too many callers wait already.
        """
        ticket = _Ticket(is_exclusive, priority)
        with self.changed:
            behind = sum(each.priority <= priority for each in self._tickets)
            self._tickets.insert(behind, ticket)
            if not self._may_start(ticket) and self.waiting > self._max_waiting:
                self._tickets.remove(ticket)
                raise self._refuse(self.waiting)
        try:
            while True:
                with self.changed:
                    if self.changed.wait_for(lambda: self._may_start(ticket), REPORT_SECONDS):
                        self._is_exclusive = is_exclusive
                        self.busy.append(self.free.pop())
                        return self.busy[-1]
                    place = self._tickets.index(ticket) + 1
                if on_wait is not None:
                    on_wait(place)  # outside the lock: it may draw, and it may raise
        finally:
            with self.changed:
                self._tickets.remove(ticket)
                self.changed.notify_all()

    def release(self, item: ItemT, *, is_reusable: bool = True) -> None:
        """Give back an item in use; one that is not reusable leaves the queue."""
        with self.changed:
            self.busy.remove(item)
            self._is_exclusive = False
            if is_reusable:
                self.free.append(item)
            self.changed.notify_all()

    def add(self, item: ItemT) -> None:
        """Add a free item."""
        with self.changed:
            self.free.append(item)
            self.changed.notify_all()

    def _may_start(self, ticket: _Ticket) -> bool:
        return self._tickets.index(ticket) < self._startable()

    def _startable(self) -> int:
        """Count the tickets at the head of the queue for which there is an item now."""
        if self._is_exclusive or not self._tickets or not self.free:
            return 0
        if self._tickets[0].is_exclusive:
            return int(not self.busy)
        shared = takewhile(lambda ticket: not ticket.is_exclusive, self._tickets)
        return min(len(self.free), len(list(shared)))
