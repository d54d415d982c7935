"""Queries of a class for its teacher: students, lessons, answers, and their export as CSV.

The CSV is safe to open in a spreadsheet.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from datetime import datetime, timedelta

from sqlalchemy import Select, case, func, select

from hosting.progress.database import answers, done, students
from hosting.progress.store import Store

ACTIVE_FOR = timedelta(minutes=10)  # after the last action of a student
# The start of a cell that a spreadsheet would compute. It may also split a row at semicolons, tabs
# and line breaks inside of a cell.
FORMULA = re.compile(r"(?:^|[;\t\r\n])\s*(?=[=+@＝＋－＠-])")
BOM = b"\xef\xbb\xbf"  # without it, Excel misreads Chinese


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentRow:
    """One student, as a teacher sees them.

    Attributes:
        number: Identifies students without a name.
        parts: The number of steps and challenges that are done.
        answered: The number of steps with an answer.
        right: The number of these whose first answer is right.
    """

    number: int
    name: str
    seen_at: datetime
    parts: int
    answered: int
    right: int

    def is_active(self, at: datetime) -> bool:
        """Return whether the last action was a short time ago; false if the clock jumped."""
        return abs(at - self.seen_at) <= ACTIVE_FOR


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCount:
    """The number of students whose first answer to a step was this one."""

    step: str
    said: str
    is_right: bool
    students: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRow:
    """A lesson in numbers.

    Attributes:
        students: The number of those who have done anything in it.
        right: The number of right first answers, of ``answered``.
    """

    lesson: str
    students: int
    answered: int
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """An answer, for the export."""

    number: int
    name: str
    lesson: str
    step: str
    said: str
    truth: str
    is_right: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneRow:
    """A part that a student has done, for the export."""

    number: int
    name: str
    lesson: str
    part: str
    at: datetime


def _first_answers() -> Select[int]:
    """Select the first answer of each student to each step.

    The order of arrival decides, not the time: a clock may jump.
    """
    return select(func.min(answers.c.number)).group_by(
        answers.c.student, answers.c.lesson, answers.c.step
    )


def read_students(store: Store) -> tuple[StudentRow, ...]:
    """Return all students, the last seen first.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    parts = select(done.c.student, func.count().label("parts")).group_by(done.c.student).subquery()
    answered = (
        select(
            answers.c.student,
            func.count().label("answered"),
            func.sum(case((answers.c.is_right, 1), else_=0)).label("right"),
        )
        .where(answers.c.number.in_(_first_answers()))
        .group_by(answers.c.student)
        .subquery()
    )
    with store.reading() as connection:
        rows = connection.execute(
            select(
                students.c.number,
                students.c.name,
                students.c.seen_at,
                func.coalesce(parts.c.parts, 0).label("parts"),
                func.coalesce(answered.c.answered, 0).label("answered"),
                func.coalesce(answered.c.right, 0).label("right"),
            )
            .outerjoin_from(students, parts, parts.c.student == students.c.number)
            .outerjoin(answered, answered.c.student == students.c.number)
            .order_by(students.c.seen_at.desc(), students.c.number)
        )
        return tuple(StudentRow(**row) for row in rows.mappings())


def read_lessons(store: Store) -> tuple[LessonRow, ...]:
    """Return the lessons that any student has begun, by name.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    begun = (
        select(done.c.lesson, done.c.student)
        .union(select(answers.c.lesson, answers.c.student))
        .subquery()
    )
    with store.reading() as connection:
        counts = connection.execute(
            select(begun.c.lesson, func.count().label("students"))
            .group_by(begun.c.lesson)
            .order_by(begun.c.lesson)
        ).all()
        counted = connection.execute(
            select(
                answers.c.lesson,
                func.count().label("answered"),
                func.sum(case((answers.c.is_right, 1), else_=0)).label("right"),
            )
            .where(answers.c.number.in_(_first_answers()))
            .group_by(answers.c.lesson)
        ).all()
    by_lesson = {row.lesson: (row.answered, row.right) for row in counted}
    return tuple(
        LessonRow(
            lesson=row.lesson,
            students=row.students,
            answered=by_lesson.get(row.lesson, (0, 0))[0],
            right=by_lesson.get(row.lesson, (0, 0))[1],
        )
        for row in counts
    )


def count_answers(store: Store, lesson: str) -> tuple[AnswerCount, ...]:
    """Count the first answers to each step of a lesson, the most frequent answer first.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    count = func.count().label("students")
    with store.reading() as connection:
        rows = connection.execute(
            select(answers.c.step, answers.c.said, answers.c.is_right, count)
            .where(answers.c.lesson == lesson, answers.c.number.in_(_first_answers()))
            .group_by(answers.c.step, answers.c.said, answers.c.is_right)
            .order_by(answers.c.step, count.desc(), answers.c.said, answers.c.is_right)
        )
        return tuple(AnswerCount(**row) for row in rows.mappings())


def count_done(store: Store, lesson: str) -> dict[str, int]:
    """Count the students who have done each part of a lesson.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    with store.reading() as connection:
        rows = connection.execute(
            select(done.c.part, func.count().label("students"))
            .where(done.c.lesson == lesson)
            .group_by(done.c.part)
        )
        return {row.part: row.students for row in rows}


def read_all_answers(store: Store) -> Iterator[AnswerRow]:
    """Return every answer, in the order of arrival.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    columns = [answers.c[name] for name in ("lesson", "step", "said", "truth", "is_right", "at")]
    with store.reading() as connection:
        rows = connection.execution_options(yield_per=1_000).execute(
            select(students.c.number, students.c.name, *columns)
            .join_from(answers, students, students.c.number == answers.c.student)
            .order_by(answers.c.number)
        )
        for row in rows.mappings():
            yield AnswerRow(**row)


def read_all_done(store: Store) -> Iterator[DoneRow]:
    """Return every part that was done, by student.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    columns = [done.c[name] for name in ("lesson", "part", "at")]
    with store.reading() as connection:
        rows = connection.execution_options(yield_per=1_000).execute(
            select(students.c.number, students.c.name, *columns)
            .join_from(done, students, students.c.number == done.c.student)
            .order_by(students.c.number, done.c.lesson, done.c.part)
        )
        for row in rows.mappings():
            yield DoneRow(**row)


def answers_csv(store: Store) -> bytes:
    """Export every answer with its student, step, truth and time.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    return _table(AnswerRow, read_all_answers(store))


def done_csv(store: Store) -> bytes:
    """Export every part that was done, with its time.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    return _table(DoneRow, read_all_done(store))


def _table(kind: type[AnswerRow] | type[DoneRow], rows: Iterable[AnswerRow | DoneRow]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writerow("student" if each.name == "number" else each.name for each in fields(kind))
    for row in rows:
        writer.writerow([_cell(value) for value in astuple(row)])
    return BOM + out.getvalue().encode("utf-8")


def _cell(value: object) -> str:
    """Return a value as text that no spreadsheet takes for a formula.

    >>> _cell("=1+1"), _cell("x;=1+1"), _cell("cuda:0"), _cell(True), _cell(7)
    ("'=1+1", "x;'=1+1", 'cuda:0', 'yes', '7')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return FORMULA.sub(lambda found: f"{found[0]}'", str(value))
