"""Assignments of a class, and what each student has passed of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy
from sqlalchemy import insert, select

from hosting.progress.database import assignments, done, students
from hosting.progress.records import MAX_WORD, Assignment, clean_name
from hosting.progress.store import Store, read_assignments

LAB = "lab"  # in place of a lesson, for what is done in the lab


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentResult:
    """What a student has passed of an assignment.

    Attributes:
        passed: When each exercise was solved, by its id.
    """

    number: int
    name: str
    passed: Mapping[str, datetime]

    def in_time(self, due_at: datetime) -> int:
        """Return how many exercises were solved before a time."""
        return sum(at <= due_at for at in self.passed.values())


def create(store: Store, assignment: Assignment) -> None:
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


def delete(store: Store, number: int) -> None:
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
