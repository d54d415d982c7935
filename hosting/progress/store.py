"""Writes entries and reads them again; each call is one transaction, and may be repeated."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, Insert, Table, bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from hosting.progress import tables
from hosting.progress.database import WRITES
from hosting.progress.migrations import migrate
from hosting.progress.records import Answer, Done, Entry, Kept, ProgressUnavailableError, Seen
from hosting.progress.tables import answers, done, students

MOST_ANSWERS = 2_000  # of one student: nobody fills the disk by answering again and again
Row = dict[str, Any]


class Store:
    """The database as students' progress.

    Args:
        engine: Of the database.
        most_answers: How many answers of one student are kept; later ones are not.
    """

    def __init__(self, engine: Engine, most_answers: int = MOST_ANSWERS) -> None:
        self.engine = engine
        self._most_answers = most_answers

    def open(self) -> None:
        """Bring the database up to date; an empty one becomes a new one."""
        migrate(self.engine)

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def look(self) -> None:
        """Ask for something small, to see whether the database and its tables are there.

        Raises:
            ProgressUnavailableError: They are not.
        """
        with self.reading() as connection:
            connection.execute(select(students.c.number).limit(1)).first()

    def write(self, entries: Sequence[Entry]) -> None:
        """Write entries, all or none; those that are there already change nothing.

        Two replicas may write the same student: what is done is a set, an answer has its id, and
        of two names the later one stays.
        """
        with self.writing() as connection:
            numbers = self._numbers(connection, entries)
            seen = [each for each in entries if isinstance(each, Seen)]
            self._note_seen(connection, seen)
            self._insert(connection, done, (_done(each, numbers) for each in entries))
            self._insert(connection, answers, self._answers(connection, entries, numbers))

    def load(self, student: str) -> Kept:
        """Read what is kept of a student; of a stranger, nothing.

        Raises:
            ProgressUnavailableError: The database cannot be asked at the moment.
        """
        with self.reading() as connection:
            found = connection.execute(
                select(students.c.number, students.c.name).where(students.c.id == student)
            ).one_or_none()
            if found is None:
                return Kept()
            parts = connection.execute(
                select(done.c.lesson, done.c.part).where(done.c.student == found.number)
            )
            said = connection.execute(
                select(answers.c.lesson, answers.c.step, answers.c.said)
                .where(answers.c.student == found.number)
                .order_by(answers.c.number)
            )
            return Kept(
                name=found.name,
                done=frozenset(f"{row.lesson}/{row.part}" for row in parts),
                said={f"{row.lesson}/{row.step}": row.said for row in said},
            )

    def forget(self, student: str) -> None:
        """Delete everything about a student.

        Raises:
            ProgressUnavailableError: The database cannot be asked at the moment.
        """
        with _told(), self.writing() as connection:
            connection.execute(delete(students).where(students.c.id == student))

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is going to write."""
        with (
            self.engine.connect().execution_options(**{WRITES: True}) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads.

        Raises:
            ProgressUnavailableError: The database cannot be asked at the moment.
        """
        with _told(), self.engine.connect() as connection, connection.begin():
            yield connection

    def _insert(self, connection: Connection, table: Table, rows: Iterable[Row | None]) -> None:
        new = [row for row in rows if row is not None]
        if new:
            connection.execute(self._insert_unless_there(table), new)

    def _insert_unless_there(self, table: Table) -> Insert:
        if self.engine.dialect.name == "postgresql":
            return postgresql.insert(table).on_conflict_do_nothing()
        return sqlite.insert(table).on_conflict_do_nothing()

    def _numbers(self, connection: Connection, entries: Sequence[Entry]) -> dict[str, int]:
        """The number of each student; in the same order everywhere, so that no two wait in turn."""
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
            called = func.coalesce(
                bindparam("called", type_=tables.students.c.name.type), students.c.name
            )
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
            if counts[student] <= self._most_answers:
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
def _told() -> Iterator[None]:
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        raise ProgressUnavailableError("progress_unavailable") from error
