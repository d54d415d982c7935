"""The entries of progress as plain data, which pages enqueue and ``progress_writer`` writes."""

import hashlib
import unicodedata
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hosting.settings import Gate
from playground.errors import PlaygroundError

MAX_NAME = 40  # characters
MAX_ID = 64
MAX_WORD = 160  # of the id of a lesson, a part, an answer


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
