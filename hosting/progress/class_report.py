"""The report of a class for its teacher: students, lessons, answers, errors, assignments."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy
from sqlalchemy import Select, case, func, insert, select

from hosting.progress.database import answers, assignments, done, students
from hosting.progress.records import MAX_WORD, Assignment, clean_name
from hosting.progress.store import Store, read_assignments

ACTIVE_FOR = timedelta(minutes=10)  # after the last action of a student
LAB = "lab"  # in place of a lesson, for what is done in the lab


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
class WrongAnswer:
    """A wrong first answer, and the number of students who gave it.

    Attributes:
        answered: The number of students with an answer to this step.
    """

    lesson: str
    step: str
    said: str
    students: int
    answered: int


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


def most_frequent_errors(store: Store, most: int) -> tuple[WrongAnswer, ...]:
    """Return the wrong first answers that most students gave, over all lessons.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    first = answers.c.number.in_(_first_answers())
    answered = (
        select(answers.c.lesson, answers.c.step, func.count().label("answered"))
        .where(first)
        .group_by(answers.c.lesson, answers.c.step)
        .subquery()
    )
    count = func.count().label("students")
    same_step = (answered.c.lesson == answers.c.lesson) & (answered.c.step == answers.c.step)
    with store.reading() as connection:
        rows = connection.execute(
            select(answers.c.lesson, answers.c.step, answers.c.said, count, answered.c.answered)
            .join_from(answers, answered, same_step)
            .where(first, answers.c.is_right.is_(False))
            .group_by(answers.c.lesson, answers.c.step, answers.c.said, answered.c.answered)
            .order_by(count.desc(), answers.c.lesson, answers.c.step, answers.c.said)
            .limit(most)
        )
        return tuple(WrongAnswer(**row) for row in rows.mappings())


def frequent_truths(store: Store, lesson: str) -> dict[str, str]:
    """Return the most frequent true answer to each step of a lesson; settings may change it.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    count = func.count()
    with store.reading() as connection:
        rows = connection.execute(
            select(answers.c.step, answers.c.truth)
            .where(answers.c.lesson == lesson)
            .group_by(answers.c.step, answers.c.truth)
            .order_by(count, answers.c.truth)
        )
        return {row.step: row.truth for row in rows}  # the last one is the most frequent


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


# -- assignments -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentResult:
    """The exercises of an assignment that a student has passed.

    Attributes:
        passed: When each exercise was solved, by its id.
    """

    number: int
    name: str
    passed: Mapping[str, datetime]

    def in_time(self, due_at: datetime) -> int:
        """Return how many exercises were solved before a time."""
        return sum(at <= due_at for at in self.passed.values())


def create_assignment(store: Store, assignment: Assignment) -> None:
    """Save a new assignment.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    with store.changing() as connection:
        connection.execute(
            insert(assignments).values(
                title=clean_name(assignment.title, MAX_WORD),
                parts="\n".join(assignment.exercises),
                due_at=assignment.due_at,
            )
        )


def delete_assignment(store: Store, number: int) -> None:
    """Delete an assignment; what was solved stays solved.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    with store.changing() as connection:
        connection.execute(sqlalchemy.delete(assignments).where(assignments.c.number == number))


def read_results(store: Store) -> dict[Assignment, tuple[StudentResult, ...]]:
    """Return the results of all students by assignment, students in the order of their numbers.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    with store.reading() as connection:
        known = read_assignments(connection)
        names = connection.execute(
            select(students.c.number, students.c.name).order_by(students.c.number)
        ).all()
        solved: dict[int, dict[str, datetime]] = {}
        for row in connection.execute(select(done).where(done.c.lesson == LAB)):
            solved.setdefault(row.student, {})[row.part] = row.at
    return {
        each: tuple(
            StudentResult(
                number=row.number,
                name=row.name,
                passed={
                    exercise: at
                    for exercise, at in solved.get(row.number, {}).items()
                    if exercise in each.exercises
                },
            )
            for row in names
        )
        for each in known
    }
