"""Everything that is saved of one student, as a JSON file for that student."""

import json
from datetime import datetime

from sqlalchemy import select

from hosting.progress.database import answers, done, polls, students, votes
from hosting.progress.store import Store

OWN_TABLES = {
    "done": (done, ("lesson", "part", "at")),
    "predictions": (answers, ("lesson", "step", "said", "truth", "is_right", "at")),
}


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
