"""What a teacher wants to know: who is here, and what each lesson's answers were."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Select, case, func, select

from hosting.progress.store import Store
from hosting.progress.tables import answers, done, students

HERE = timedelta(minutes=10)  # who did something so recently is here


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentRow:
    """One student, as a teacher sees them.

    Attributes:
        number: Names who has no name.
        parts: How many steps and challenges are done.
        answered: In how many steps there is an answer; ``right`` counts those whose first is.
    """

    number: int
    name: str
    seen_at: datetime
    parts: int
    answered: int
    right: int

    def is_here(self, at: datetime) -> bool:
        """Whether the student did something a short while ago; a clock that jumped says no."""
        return abs(at - self.seen_at) <= HERE


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidRow:
    """How many students gave an answer first."""

    step: str
    said: str
    is_right: bool
    students: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRow:
    """A lesson in numbers.

    Attributes:
        students: Who has done anything in it.
        right: Of ``answered`` first answers.
    """

    lesson: str
    students: int
    answered: int
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One answer, for the export."""

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
    """One thing that a student has done, for the export."""

    number: int
    name: str
    lesson: str
    part: str
    at: datetime


def _first_answers() -> Select[int]:
    """The first answer of each student to each step, by the order in which they arrived.

    Times decide nothing: a clock may jump.
    """
    return select(func.min(answers.c.number)).group_by(
        answers.c.student, answers.c.lesson, answers.c.step
    )


def read_students(store: Store) -> tuple[StudentRow, ...]:
    """All students, who was seen last first.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    parts = select(done.c.student, func.count().label("parts")).group_by(done.c.student).subquery()
    said = (
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
                func.coalesce(said.c.answered, 0).label("answered"),
                func.coalesce(said.c.right, 0).label("right"),
            )
            .outerjoin_from(students, parts, parts.c.student == students.c.number)
            .outerjoin(said, said.c.student == students.c.number)
            .order_by(students.c.seen_at.desc(), students.c.number)
        )
        return tuple(StudentRow(**row) for row in rows.mappings())


def read_lessons(store: Store) -> tuple[LessonRow, ...]:
    """The lessons that somebody has begun, by name.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
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
        said = connection.execute(
            select(
                answers.c.lesson,
                func.count().label("answered"),
                func.sum(case((answers.c.is_right, 1), else_=0)).label("right"),
            )
            .where(answers.c.number.in_(_first_answers()))
            .group_by(answers.c.lesson)
        ).all()
    judged = {row.lesson: (row.answered, row.right) for row in said}
    return tuple(
        LessonRow(
            lesson=row.lesson,
            students=row.students,
            answered=judged.get(row.lesson, (0, 0))[0],
            right=judged.get(row.lesson, (0, 0))[1],
        )
        for row in counts
    )


def read_said(store: Store, lesson: str) -> tuple[SaidRow, ...]:
    """What was answered first in a lesson, the most frequent answer of a step first.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    count = func.count().label("students")
    with store.reading() as connection:
        rows = connection.execute(
            select(answers.c.step, answers.c.said, answers.c.is_right, count)
            .where(answers.c.lesson == lesson, answers.c.number.in_(_first_answers()))
            .group_by(answers.c.step, answers.c.said, answers.c.is_right)
            .order_by(answers.c.step, count.desc(), answers.c.said, answers.c.is_right)
        )
        return tuple(SaidRow(**row) for row in rows.mappings())


def read_done(store: Store, lesson: str) -> dict[str, int]:
    """How many students have done each part of a lesson.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    with store.reading() as connection:
        rows = connection.execute(
            select(done.c.part, func.count().label("students"))
            .where(done.c.lesson == lesson)
            .group_by(done.c.part)
        )
        return {row.part: row.students for row in rows}


def read_all_answers(store: Store) -> Iterator[AnswerRow]:
    """Every answer, in the order in which they arrived.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
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
    """Everything that was done, by student.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
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
