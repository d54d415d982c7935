"""Writes entries and reads progress; each call is one transaction, and may be repeated."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import sqlalchemy
from sqlalchemy import Connection, Engine, Insert, Table, bindparam, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from hosting.progress.database import (
    WRITES,
    answers,
    assignments,
    done,
    migrate,
    polls,
    students,
    votes,
)
from hosting.progress.records import (
    Answer,
    Assignment,
    Done,
    Entry,
    ProgressUnavailableError,
    SavedProgress,
    Seen,
    Vote,
)

MAX_ANSWERS = 2_000  # of one student, so that repeated answers do not fill the disk
Row = dict[str, Any]


class Store:
    """The progress of all students in the database.

    Args:
        engine: Of the database.
        max_answers: Of one student; later ones are not written.
    """

    def __init__(self, engine: Engine, max_answers: int = MAX_ANSWERS) -> None:
        self.engine = engine
        self._max_answers = max_answers

    def open(self) -> None:
        """Migrate the database, which may be empty."""
        migrate(self.engine)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def ping(self) -> None:
        """Run a small query, to check that the database and its tables exist.

        Raises:
            ProgressUnavailableError: They do not.
        """
        with self.reading() as connection:
            connection.execute(select(students.c.number).limit(1)).first()

    def write(self, entries: Sequence[Entry]) -> None:
        """Write all entries or none; those that exist already change nothing.

        Two replicas may write the same student: done parts are a set, an answer has an id, and of
        two names the later one stays.
        """
        with self.writing() as connection:
            numbers = self._numbers(connection, entries)
            seen = [each for each in entries if isinstance(each, Seen)]
            self._note_seen(connection, seen)
            self._insert(connection, done, (_done(each, numbers) for each in entries))
            self._insert(connection, answers, self._answers(connection, entries, numbers))
            self._write_votes(connection, entries, numbers)

    def load(self, student: str) -> SavedProgress:
        """Read the progress of a student, which is empty for an unknown one.

        Raises:
            ProgressUnavailableError: The database is not available at the moment.
        """
        with self.reading() as connection:
            found = connection.execute(
                select(students.c.number, students.c.name).where(students.c.id == student)
            ).one_or_none()
            assignments_of_class = read_assignments(connection)
            if found is None:
                return SavedProgress(assignments=assignments_of_class)
            parts = connection.execute(
                select(done.c.lesson, done.c.part).where(done.c.student == found.number)
            )
            answered = connection.execute(
                select(answers.c.lesson, answers.c.step, answers.c.said, answers.c.truth)
                .where(answers.c.student == found.number)
                .order_by(answers.c.number)
            )
            return SavedProgress(
                assignments=assignments_of_class,
                name=found.name,
                done=frozenset(f"{row.lesson}/{row.part}" for row in parts),
                answers={f"{row.lesson}/{row.step}": (row.said, row.truth) for row in answered},
            )

    def delete(self, student: str) -> None:
        """Delete a student with all progress.

        Raises:
            ProgressUnavailableError: The database is not available at the moment.
        """
        with self.changing() as connection:
            connection.execute(sqlalchemy.delete(students).where(students.c.id == student))

    def delete_all(self) -> None:
        """Delete all students with their progress, and all polls.

        Raises:
            ProgressUnavailableError: The database is not available at the moment.
        """
        with self.changing() as connection:
            for table in (students, polls, assignments):
                connection.execute(sqlalchemy.delete(table))

    def delete_unseen_since(self, moment: datetime) -> int:
        """Delete the students who have not come since a time, and the polls that are older.

        Returns:
            The number of these students.
        """
        with self.writing() as connection:
            old = connection.execute(sqlalchemy.delete(students).where(students.c.seen_at < moment))
            connection.execute(
                sqlalchemy.delete(polls).where(
                    polls.c.asked_at < moment, polls.c.ended_at.is_not(None)
                )
            )
            return old.rowcount

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that writes."""
        with (
            self.engine.connect().execution_options(**{WRITES: True}) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """Open a transaction that writes at the request of a visitor, who sees if it fails.

        Raises:
            ProgressUnavailableError: The database is not available at the moment.
        """
        with _translated_errors(), self.writing() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that only reads.

        Raises:
            ProgressUnavailableError: The database is not available at the moment.
        """
        with _translated_errors(), self.engine.connect() as connection, connection.begin():
            yield connection

    def _insert(self, connection: Connection, table: Table, rows: Iterable[Row | None]) -> None:
        new = [row for row in rows if row is not None]
        if new:
            connection.execute(self._insert_if_absent(table), new)

    def _write_votes(
        self, connection: Connection, entries: Sequence[Entry], numbers: dict[str, int]
    ) -> None:
        """Write votes in a fixed order, to avoid deadlocks; each replaces an earlier one."""
        rows = [
            {"poll": each.poll, "student": numbers[each.student], "said": each.said, "at": each.at}
            for each in sorted(
                (each for each in entries if isinstance(each, Vote)),
                key=lambda each: each.student,
            )
        ]
        if not rows:
            return
        new = self._insert_into(votes)
        changed = {name: new.excluded[name] for name in ("said", "at")}
        keys = [votes.c.poll, votes.c.student]
        connection.execute(new.on_conflict_do_update(index_elements=keys, set_=changed), rows)

    def _insert_if_absent(self, table: Table) -> Insert:
        return self._insert_into(table).on_conflict_do_nothing()

    def _insert_into(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        is_postgresql = self.engine.dialect.name == "postgresql"
        return postgresql.insert(table) if is_postgresql else sqlite.insert(table)

    def _numbers(self, connection: Connection, entries: Sequence[Entry]) -> dict[str, int]:
        """Return the number of each student, inserted in a fixed order to avoid deadlocks."""
        first = {each.student: each.at for each in reversed(entries)}
        known = self._known(connection, first)
        new = [
            {"id": student, "first_seen_at": at, "seen_at": at}
            for student, at in sorted(first.items())
            if student not in known
        ]
        if new:
            self._insert(connection, students, new)
            known = self._known(connection, first)
        return known

    def _known(self, connection: Connection, asked: Iterable[str]) -> dict[str, int]:
        rows = connection.execute(
            select(students.c.id, students.c.number).where(students.c.id.in_(asked))
        )
        return {row.id: row.number for row in rows}

    def _note_seen(self, connection: Connection, entries: Sequence[Seen]) -> None:
        rows = [
            {"who": each.student, "when": each.at, "called": each.name}
            for each in sorted(entries, key=lambda each: each.student)
        ]
        if rows:
            called = func.coalesce(bindparam("called", type_=students.c.name.type), students.c.name)
            connection.execute(
                update(students)
                .where(students.c.id == bindparam("who"))
                .values(seen_at=bindparam("when"), name=called),
                rows,
            )

    def _answers(
        self, connection: Connection, entries: Sequence[Entry], numbers: dict[str, int]
    ) -> Iterator[Row]:
        given = [each for each in entries if isinstance(each, Answer)]
        if not given:
            return
        numbers_here = {numbers[each.student] for each in given}
        counts: dict[int, int] = {
            row.student: row.given
            for row in connection.execute(
                select(answers.c.student, func.count().label("given"))
                .where(answers.c.student.in_(numbers_here))
                .group_by(answers.c.student)
            )
        }
        for each in given:
            student = numbers[each.student]
            counts[student] = counts.get(student, 0) + 1
            if counts[student] <= self._max_answers:
                yield {
                    "id": each.id,
                    "student": student,
                    "lesson": each.lesson,
                    "step": each.step,
                    "said": each.said,
                    "truth": each.truth,
                    "is_right": each.is_right,
                    "at": each.at,
                }


def read_assignments(connection: Connection) -> tuple[Assignment, ...]:
    """Return all assignments, the next date first."""
    rows = connection.execute(
        select(assignments).order_by(assignments.c.due_at, assignments.c.number)
    )
    return tuple(
        Assignment(
            number=row.number,
            title=row.title,
            exercises=tuple(row.parts.split()),
            due_at=row.due_at,
        )
        for row in rows
    )


def _done(entry: Entry, numbers: dict[str, int]) -> Row | None:
    if not isinstance(entry, Done):
        return None
    return {
        "student": numbers[entry.student],
        "lesson": entry.lesson,
        "part": entry.part,
        "at": entry.at,
    }


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        raise ProgressUnavailableError("progress_unavailable") from error
