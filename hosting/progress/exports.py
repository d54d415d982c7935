"""Files to download: a class as CSV, and all that is saved of one student as JSON.

The CSV is safe to open in any spreadsheet: no cell is taken for a formula.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from datetime import datetime

from sqlalchemy import select

from hosting.progress.database import answers, done, polls, students, votes
from hosting.progress.store import Store

# The start of a cell that a spreadsheet would compute. It may also split a row at semicolons, tabs
# and line breaks inside of a cell.
FORMULA = re.compile(r"(?:^|[;\t\r\n])\s*(?=[=+@＝＋－＠-])")
BOM = b"\xef\xbb\xbf"  # without it, Excel misreads Chinese
OWN_TABLES = {
    "done": (done, ("lesson", "part", "at")),
    "predictions": (answers, ("lesson", "step", "said", "truth", "is_right", "at")),
}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """A step of a student, for the export.

    Attributes:
        done_at: None if it was answered and not done.
        first: The first answer; empty without one.
        last: The last answer.
        answers: Their number.
    """

    number: int
    name: str
    lesson: str
    step: str
    done_at: datetime | None
    first: str
    is_first_right: bool | None
    last: str
    is_last_right: bool | None
    answers: int


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


def read_steps(store: Store) -> Iterator[StepRow]:
    """Return each step that a student has done or answered, by student.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    with store.reading() as connection:
        names = {
            row.number: row.name
            for row in connection.execute(select(students.c.number, students.c.name))
        }
        done_at = {
            (row.student, row.lesson, row.part): row.at for row in connection.execute(select(done))
        }
        given: dict[tuple[int, str, str], list[tuple[str, bool | None]]] = {}
        for row in connection.execute(select(answers).order_by(answers.c.number)):
            key = (row.student, row.lesson, row.step)
            given.setdefault(key, []).append((row.said, row.is_right))
    for key in sorted({*done_at, *given}):
        number, lesson, step = key
        said = given.get(key) or [("", None)]
        yield StepRow(
            number=number,
            name=names.get(number, ""),
            lesson=lesson,
            step=step,
            done_at=done_at.get(key),
            first=said[0][0],
            is_first_right=said[0][1],
            last=said[-1][0],
            is_last_right=said[-1][1],
            answers=len(given.get(key, ())),
        )


def steps_csv(store: Store) -> bytes:
    """Export the progress of each student by step.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    return _table(StepRow, read_steps(store))


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


def _table(
    kind: type[AnswerRow] | type[DoneRow] | type[StepRow],
    rows: Iterable[AnswerRow | DoneRow | StepRow],
) -> bytes:
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
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return FORMULA.sub(lambda found: f"{found[0]}'", str(value))


def own_data_json(store: Store, student: str) -> bytes:
    """Return all rows of a student in every table; an empty object for an unknown one.

    Raises:
        ProgressUnavailableError: The database is not available at the moment.
    """
    with store.reading() as connection:
        row = connection.execute(select(students).where(students.c.id == student)).one_or_none()
        if row is None:
            return b"{}"
        data: dict[str, object] = {
            "number": row.number,
            "name": row.name,
            "first_seen_at": row.first_seen_at,
            "seen_at": row.seen_at,
        }
        for name, (table, columns) in OWN_TABLES.items():
            rows = connection.execute(
                select(*(table.c[each] for each in columns))
                .where(table.c.student == row.number)
                .order_by(table.c.at)
            )
            data[name] = [dict(each) for each in rows.mappings()]
        voted = connection.execute(
            select(polls.c.lesson, polls.c.step, polls.c.round, votes.c.said, votes.c.at)
            .join_from(votes, polls, polls.c.id == votes.c.poll)
            .where(votes.c.student == row.number)
            .order_by(polls.c.number)
        )
        data["votes"] = [dict(each) for each in voted.mappings()]
    return json.dumps(data, indent=2, ensure_ascii=False, default=_text).encode()


def _text(value: object) -> str:
    if not isinstance(value, datetime):
        raise TypeError(type(value))
    return value.isoformat(timespec="seconds")
