"""What is kept of a student, as plain data; knows neither database nor screen."""

import unicodedata
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from playground.errors import PlaygroundError

MOST_NAME = 40  # characters
MOST_ID = 64
MOST_WORD = 160  # of a lesson's name, a part, an answer's id


class ProgressUnavailableError(PlaygroundError):
    """The database cannot be asked at the moment."""


def now() -> datetime:
    """The time of this computer, which may jump: never used to put things in order."""
    return datetime.now(UTC)


def new_id() -> str:
    """A name for one answer that no other answer has, on any replica."""
    return uuid.uuid4().hex


def clean_name(text: str) -> str:
    """A name as it may be kept and shown: on one line, printable, short.

    >>> clean_name("  Ada \\u202e\\x00 Lovelace ")
    'Ada Lovelace'
    """
    kept = "".join(
        " " if each.isspace() else each
        for each in text
        if each.isspace() or not unicodedata.category(each).startswith("C")
    )
    return " ".join(kept.split())[:MOST_NAME].strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A student was here.

    Attributes:
        name: What the teacher is shown; None leaves the name as it is.
    """

    student: str
    name: str | None = None
    at: datetime = field(default_factory=now)

    @property
    def key(self) -> tuple[str, ...]:
        """Two entries with the same key are one."""
        return ("seen", self.student)

    def over(self, earlier: "Entry") -> "Seen":
        """The same, with the name of an earlier one that has not been written yet."""
        if self.name is None and isinstance(earlier, Seen):
            return Seen(student=self.student, name=earlier.name, at=self.at)
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A student has done a step or a challenge."""

    student: str
    lesson: str
    part: str
    at: datetime = field(default_factory=now)

    @property
    def key(self) -> tuple[str, ...]:
        """Two entries with the same key are one."""
        return ("done", self.student, self.lesson, self.part)

    def over(self, earlier: "Entry") -> "Entry":
        """What was done first stays."""
        return earlier


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a student predicted, and what really happened, both by id.

    Attributes:
        id: Handed over twice, it is still one answer.
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
        """Two entries with the same key are one."""
        return ("answer", self.id)

    def over(self, earlier: "Entry") -> "Entry":
        """It is the same answer."""
        return earlier


Entry = Seen | Done | Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the database knows of a student.

    Attributes:
        done: ``lesson/part`` of each step and challenge that is done.
        said: The last answer by ``lesson/step``.
    """

    name: str = ""
    done: frozenset[str] = frozenset()
    said: Mapping[str, str] = field(default_factory=dict)
