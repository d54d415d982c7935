"""A poll, its stages, and its state at a moment, as plain data."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from hosting.progress.records import new_id, now

PRESENT_SECONDS = 150.0  # since a page last asked; a hidden tab asks once a minute


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
