"""Plain data of progress: entries that pages enqueue, what is read back, polls, the spill file."""

import hashlib
import json
import logging
import os
import unicodedata
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from hosting.settings import Gate
from playground.errors import PlaygroundError

MAX_NAME = 40  # characters
MAX_ID = 64
MAX_WORD = 160  # of the id of a lesson, a part, an answer
PATTERN = "progress-left-*.jsonl"  # one for each replica
PRESENT_SECONDS = 150.0  # since a page last asked; a hidden tab asks once a minute
logger = logging.getLogger(__name__)


class ProgressUnavailableError(PlaygroundError):
    """The database is not available at the moment."""


def now() -> datetime:
    """Return the time of this computer, which may jump: it never decides an order."""
    return datetime.now(UTC)


def new_id() -> str:
    """Return an id for an answer that is unique over all replicas."""
    return uuid.uuid4().hex


def clean_name(text: str, most: int = MAX_NAME) -> str:
    """Return a name on one line, printable and short.

    >>> clean_name("  Ada \\u202e\\x00 Lovelace ")
    'Ada Lovelace'
    """
    printable = "".join(
        " " if each.isspace() else each
        for each in text
        if each.isspace() or not unicodedata.category(each).startswith("C")
    )
    return " ".join(printable.split())[:most].strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A visit of a student.

    Attributes:
        name: For the teacher; None leaves the name as it is.
    """

    student: str
    name: str | None = None
    at: datetime = field(default_factory=now)

    @property
    def key(self) -> tuple[str, ...]:
        return ("seen", self.student)

    def merged_with(self, earlier: "Entry") -> "Seen":
        """Return this visit with the name of an earlier one that is not written yet."""
        if self.name is None and isinstance(earlier, Seen):
            return Seen(student=self.student, name=earlier.name, at=self.at)
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A step or a challenge that a student has done."""

    student: str
    lesson: str
    part: str
    at: datetime = field(default_factory=now)

    @property
    def key(self) -> tuple[str, ...]:
        return ("done", self.student, self.lesson, self.part)

    def merged_with(self, earlier: "Entry") -> "Entry":
        """Return the earlier entry: the first time counts."""
        return earlier


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The id of a student's prediction, and that of the true answer.

    Attributes:
        id: Of two entries with the same id, one is written.
    """

    student: str
    lesson: str
    step: str
    said: str
    truth: str
    is_right: bool
    id: str = field(default_factory=new_id)
    at: datetime = field(default_factory=now)

    @property
    def key(self) -> tuple[str, ...]:
        return ("answer", self.id)

    def merged_with(self, earlier: "Entry") -> "Entry":
        """Return the earlier entry, which is the same answer."""
        return earlier


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """The answer of a student in a live poll; a later one replaces it."""

    student: str
    poll: str
    said: str
    at: datetime = field(default_factory=now)

    @property
    def key(self) -> tuple[str, ...]:
        return ("vote", self.poll, self.student)

    def merged_with(self, earlier: "Entry") -> "Entry":
        """Return this vote, which replaces the earlier one."""
        del earlier
        return self


Entry = Seen | Done | Answer | Vote  # of two entries with the same key, one is written


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A set of exercises until a date.

    Attributes:
        number: 0 before it is saved.
        exercises: Ids of the lab's exercises.
    """

    title: str
    exercises: tuple[str, ...]
    due_at: datetime
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedProgress:
    """The progress of a student in the database.

    Attributes:
        done: ``lesson/part`` of each step and challenge that is done.
        answers: The last answer, and the true one, by ``lesson/step``.
        assignments: Of the class, the next date first.
    """

    name: str = ""
    done: frozenset[str] = frozenset()
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    assignments: tuple[Assignment, ...] = ()


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


def user_id(gate: Gate, *identity: str) -> str:
    """Return the id of a student in the database: a hash, which does not reveal the identity.

    Args:
        gate: The gate that identified the student.
        identity: With a class code the random id of the session cookie; with OIDC issuer and
            subject.

    >>> user_id(Gate.CODE, "x") == user_id(Gate.OIDC, "x")
    False
    >>> len(user_id(Gate.OIDC, "https://id.example.edu", "ada"))
    64
    """
    text = "\0".join((gate.value, *identity))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


KINDS: Mapping[str, type[Seen | Done | Answer | Vote]] = {
    "seen": Seen,
    "done": Done,
    "answer": Answer,
    "vote": Vote,
}


class SpillFile:
    """The entries that were not written when the server ended, in a file for the next start.

    Args:
        folder: Of the server's data.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, entries: Sequence[Entry]) -> None:
        """Write entries to a file that only its owner may read; without entries, to none."""
        if not entries:
            return
        lines = "".join(f"{_line(entry)}\n" for entry in entries)
        file = self._folder / PATTERN.replace("*", f"{os.getpid()}-{os.urandom(4).hex()}")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            unfinished = file.with_suffix(".part")
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(lines)
                out.flush()
                os.fsync(handle)
            unfinished.rename(file)
        except OSError as error:
            logger.error("%d entries of progress are lost: %s", len(entries), error.strerror)
        else:
            logger.warning(
                "%d entries of progress are saved to a file until the next start", len(entries)
            )

    def take(self) -> list[Entry]:
        """Read and delete all files; each one is taken by one replica only."""
        entries: list[Entry] = []
        for file in sorted(self._folder.glob(PATTERN)):
            taken = file.with_suffix(f".taken-{os.getpid()}")
            try:
                file.rename(taken)
                lines = taken.read_text("utf-8").splitlines()
                entries += [_entry(line) for line in lines]
                taken.unlink()
            except FileNotFoundError:
                continue  # another replica was faster
            except (OSError, ValueError, TypeError, KeyError) as error:
                logger.error(
                    "cannot read the saved progress in %s: %s", file.name, type(error).__name__
                )
        return entries


def _line(entry: Entry) -> str:
    kind = next(name for name, each in KINDS.items() if isinstance(entry, each))
    return json.dumps({"kind": kind, **asdict(entry), "at": entry.at.isoformat()})


def _entry(line: str) -> Entry:
    values: dict[str, Any] = json.loads(line)
    values["at"] = datetime.fromisoformat(values["at"])
    return KINDS[values.pop("kind")](**values)
