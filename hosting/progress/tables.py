"""The tables as they are now; how they became so is in ``migrations``."""

from datetime import UTC, datetime

from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    TypeDecorator,
)

from hosting.progress.records import MOST_ID, MOST_NAME, MOST_WORD


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite forgets the zone, so it is said again on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Say that it is UTC."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


NAMES = {
    "pk": "pk_%(table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ix": "ix_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
}
metadata = MetaData(naming_convention=NAMES)


def _student() -> Column[int]:
    return Column("student", ForeignKey("students.number", ondelete="CASCADE"), nullable=False)


students = Table(
    "students",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String(MOST_ID), nullable=False, unique=True),
    Column("name", String(MOST_NAME), nullable=False, server_default=""),
    Column("first_seen_at", Moment, nullable=False),
    Column("seen_at", Moment, nullable=False),
    sqlite_autoincrement=True,  # the number of a student who was forgotten is not given again
)
done = Table(
    "done",
    metadata,
    _student(),
    Column("lesson", String(MOST_WORD), nullable=False),
    Column("part", String(MOST_WORD), nullable=False),
    Column("at", Moment, nullable=False),
    PrimaryKeyConstraint("student", "lesson", "part"),
)
answers = Table(
    "answers",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),  # the order they arrived in
    Column("id", String(MOST_ID), nullable=False, unique=True),
    _student(),
    Column("lesson", String(MOST_WORD), nullable=False),
    Column("step", String(MOST_WORD), nullable=False),
    Column("said", String(MOST_WORD), nullable=False),
    Column("truth", String(MOST_WORD), nullable=False),
    Column("is_right", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
    Index(None, "lesson", "step"),
    Index(None, "student"),
    sqlite_autoincrement=True,
)
