"""Polls of an open playground, in this process: nobody signs in, so nothing is saved."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from hosting.live_poll.records import PRESENT_SECONDS, Poll, Snapshot, Stage

MAX_VOTERS = 2_000  # one client that reaches the server may pretend to be many
MAX_POLLS = 50  # of the latest, so that one can be repeated


class MemoryPoll:
    """Polls and votes in memory; see ``LivePoll``.

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
