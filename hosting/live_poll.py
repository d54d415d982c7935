"""A live poll: a teacher asks the class the question of a step, and its answers are counted.

``start()`` chooses where polls and votes are: in the database of progress
(``progress.database_poll``), which all replicas share and which survives a restart, or, in an open
playground, in this process. Both follow the protocol ``LivePoll``. No page waits for the database:
``snapshot()`` answers from memory, which a thread reads from the database at most twice a second,
however many pages ask.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from hosting import progress
from hosting.progress.records import PRESENT_SECONDS, Poll, Snapshot, Stage

if TYPE_CHECKING:
    from hosting.progress.database_poll import DatabasePoll

MAX_VOTERS = 2_000  # in memory: one client that reaches the server may pretend to be many
MAX_POLLS = 50  # in memory, of the latest, so that one can be repeated


class LivePoll(Protocol):
    """The polls of a server. The methods that change a poll are the teacher's.

    Raises:
        ProgressUnavailableError: From these methods, if the database does not answer.
    """

    def snapshot(self, *, may_wait: bool = True) -> Snapshot:
        """Return the current state; wait a moment at most for a database, or not at all."""

    def ask(self, poll: Poll) -> None:
        """Ask a question; the poll before it ends."""

    def change(self, poll: str, *, is_open: bool | None = None, stage: Stage | None = None) -> None:
        """Open or close a poll, or change what the projector shows of it."""

    def end(self) -> None:
        """End the current poll; its votes are kept where progress is."""

    def vote(self, poll: str, voter: str, said: str) -> None:
        """Count a vote; a later one of the same voter replaces it."""

    def note_present(self, voter: str) -> None:
        """Note that a student's page is open."""


class MemoryPoll:
    """Polls and votes in this process, where nobody signs in, so nothing is saved.

    Args:
        clock: The time, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._polls: OrderedDict[str, tuple[Poll, dict[str, str]]] = OrderedDict()
        self._current = ""
        self._present: dict[str, float] = {}

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._polls.clear()
            self._present.clear()
            self._current = ""

    def snapshot(self, *, may_wait: bool = True) -> Snapshot:
        """Return the current state."""
        del may_wait
        with self._lock:
            latest = self._clock() - PRESENT_SECONDS
            present = sum(seen >= latest for seen in self._present.values())
            if not self._current:
                return Snapshot(present=present)
            poll, votes = self._polls[self._current]
            first, first_votes = self._polls.get(poll.first, (None, {}))
            return Snapshot(
                poll=poll,
                votes=dict(votes),
                first=first,
                first_votes=dict(first_votes),
                present=present,
            )

    def ask(self, poll: Poll) -> None:
        """Ask a question; the poll before it ends."""
        with self._lock:
            self._polls[poll.id] = poll, {}
            self._current = poll.id
            while len(self._polls) > MAX_POLLS:
                self._polls.popitem(last=False)

    def change(self, poll: str, *, is_open: bool | None = None, stage: Stage | None = None) -> None:
        """Open or close a poll, or change what the projector shows of it."""
        with self._lock:
            if poll in self._polls:
                known, votes = self._polls[poll]
                is_open = known.is_open if is_open is None else is_open
                changed = replace(known, is_open=is_open, stage=stage or known.stage)
                self._polls[poll] = changed, votes

    def end(self) -> None:
        """End the current poll."""
        with self._lock:
            self._current = ""

    def vote(self, poll: str, voter: str, said: str) -> None:
        """Count a vote; a later one of the same voter replaces it."""
        with self._lock:
            _, votes = self._polls.get(poll, (None, {}))
            if voter in votes or len(votes) < MAX_VOTERS:
                votes[voter] = said

    def note_present(self, voter: str) -> None:
        """Note that a student's page is open."""
        with self._lock:
            self._present.pop(voter, None)
            self._present[voter] = self._clock()
            if len(self._present) > MAX_VOTERS:
                del self._present[next(iter(self._present))]


_in_memory = MemoryPoll()
_in_database: "DatabasePoll | None" = None


def start() -> None:
    """Use the database if progress is saved there; called after ``progress.start``."""
    global _in_database
    writer = progress.current()
    if writer is None or _in_database is not None:
        return
    from hosting.progress.database_poll import DatabasePoll

    _in_database = DatabasePoll(writer)
    _in_database.start()


def stop() -> None:
    """Stop reading, and forget what only this process knows; safe to call twice."""
    global _in_database
    stopping, _in_database = _in_database, None
    if stopping is not None:
        stopping.stop()
    _in_memory.clear()


def current() -> LivePoll:
    """Return the polls of this server."""
    return _in_database or _in_memory
