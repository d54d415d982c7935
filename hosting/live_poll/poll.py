"""A poll, its stages, its state at a moment, and the polls of an open playground, in memory."""

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from hosting.progress.records import new_id, now

PRESENT_SECONDS = 150.0  # since a page last asked; a hidden tab asks once a minute
MAX_VOTERS = 2_000  # in memory: one client that reaches the server may pretend to be many
MAX_POLLS = 50  # in memory, of the latest, so that one can be repeated


class Stage(StrEnum):
    """The stages of the projector; each includes those before it."""

    QUESTION = "question"
    HISTOGRAM = "histogram"
    ANSWER = "answer"
    REASON = "reason"

    @property
    def has_histogram(self) -> bool:
        return self is not Stage.QUESTION

    @property
    def has_answer(self) -> bool:
        return self in (Stage.ANSWER, Stage.REASON)


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """The question of a step at the settings of one of its rounds, asked once.

    Attributes:
        round: From 1, which has the step's default settings.
        machine: The kind of machine, with its GPUs and their memory.
        first: The id of the poll whose question is asked again; empty if this is the first time.
        is_open: Votes are accepted.
    """

    lesson: str
    step: str
    round: int = 1
    machine: str = "simulated"
    gpus: int = 2
    memory_gib: int = 8
    first: str = ""
    id: str = field(default_factory=new_id)
    asked_at: datetime = field(default_factory=now)
    is_open: bool = True
    stage: Stage = Stage.QUESTION


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The state of the polls at a moment.

    Attributes:
        poll: The current one; None if no question is asked.
        votes: Its votes: the answer's id by the voter's.
        first: The poll that it repeats.
        first_votes: The votes of that one.
        present: The number of students whose pages are open.
    """

    poll: Poll | None = None
    votes: Mapping[str, str] = field(default_factory=dict)
    first: Poll | None = None
    first_votes: Mapping[str, str] = field(default_factory=dict)
    present: int = 0

    @property
    def counts(self) -> Counter[str]:
        """The number of votes for each answer."""
        return Counter(self.votes.values())

    @property
    def first_counts(self) -> Counter[str]:
        """The same, of the poll that is repeated."""
        return Counter(self.first_votes.values())


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
