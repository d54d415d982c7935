"""The database of progress: its engine, SQLite or PostgreSQL, its tables, and how they migrate.

``migrate`` brings a database of any age to these tables, version by version, in one transaction. A
new version is a file in ``migrations/versions`` that names the one before it; a released version is
never changed.
"""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import (
    URL,
    Boolean,
    Column,
    Connection,
    DateTime,
    Dialect,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    NullPool,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    TypeDecorator,
    create_engine,
    event,
    make_url,
    text,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from hosting.progress.records import MAX_ID, MAX_NAME, MAX_WORD
from hosting.setting_field import SettingError
from hosting.settings import Settings

FILE = "progress.sqlite"
MIGRATIONS = Path(__file__).with_name("migrations")
LOCK_ID = 0x746F7263  # an advisory lock of PostgreSQL
LOCK_TIMEOUT_SECONDS = 3  # of a file that another process writes; then it is tried again later
WRITES = "progress_writes"  # an execution option of transactions that write
DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
POSTGRESQL: dict[str, Any] = {  # timeouts in seconds and milliseconds, for a silent network
    "connect_timeout": 3,
    "tcp_user_timeout": 5_000,
    "options": "-c statement_timeout=5000 -c lock_timeout=3000 -c timezone=UTC",
    "application_name": "torch-playground",
}
PRAGMAS = (
    f"PRAGMA busy_timeout = {LOCK_TIMEOUT_SECONDS * 1000}",
    "PRAGMA journal_mode = WAL",  # readers do not wait for writers
    "PRAGMA synchronous = FULL",  # written data survive a loss of power
    "PRAGMA foreign_keys = ON",
)


def open_database(settings: Settings) -> Engine:
    """Return the engine that the settings ask for, not connected yet.

    Raises:
        SettingError: The URL of the database is invalid, or its driver is not installed.
    """
    return open_engine(_address(settings))


def open_engine(address: URL) -> Engine:
    """Return the engine of a URL."""
    try:
        if address.get_backend_name() == "sqlite":
            return _sqlite(address)
        return create_engine(
            address,
            connect_args=POSTGRESQL,
            pool_size=3,
            max_overflow=2,
            pool_timeout=3,
            pool_pre_ping=True,  # a restart of the database server is no error
        )
    except ModuleNotFoundError:
        raise SettingError(
            "PLAYGROUND_DATABASE needs a driver that is not installed: "
            "pip install -r requirements-postgresql.txt."
        ) from None


def _address(settings: Settings) -> URL:
    if not settings.database:
        return URL.create("sqlite", database=str(settings.data_folder / FILE))
    try:
        address = make_url(settings.database)
        scheme = DRIVERS.get(address.drivername, address.drivername)
        address = address.set(drivername=scheme)
        is_known = address.get_dialect() is not None
    except (ArgumentError, NoSuchModuleError, ValueError):
        is_known = False
    if not is_known or scheme not in {"sqlite", *DRIVERS.values()} or not address.database:
        raise SettingError(
            "PLAYGROUND_DATABASE must be sqlite:///<file> or postgresql://<user>@<host>/<name>."
        )
    return address


def _sqlite(address: URL) -> Engine:
    # No pool: an open connection would continue to write into a file that was deleted.
    engine = create_engine(
        address, poolclass=NullPool, connect_args={"timeout": LOCK_TIMEOUT_SECONDS}
    )

    @event.listens_for(engine, "do_connect")
    def create_file(_dialect: object, _record: object, args: list[Any], _more: object) -> None:
        file = Path(args[0])
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))  # readable by its owner alone

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not in sqlite3
        for pragma in PRAGMAS:
            connection.execute(pragma)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def migrate(engine: Engine, to: str = "head") -> None:
    """Migrate the database; replicas that start together take turns.

    Args:
        engine: Of the database.
        to: A version; the newest unless a test asks for an older one.

    Raises:
        CommandError: The database is newer than this playground.
        SQLAlchemyError: It cannot be written at the moment.
    """
    with engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK_ID})
        command.upgrade(_config(connection), to)


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


class UtcDateTime(TypeDecorator[datetime]):
    """A time in UTC; SQLite stores no time zone, so it is added when the time is read."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


CONSTRAINT_NAMES = {
    "pk": "pk_%(table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ix": "ix_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
}
metadata = MetaData(naming_convention=CONSTRAINT_NAMES)


def _student() -> Column[int]:
    return Column("student", ForeignKey("students.number", ondelete="CASCADE"), nullable=False)


students = Table(
    "students",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String(MAX_ID), nullable=False, unique=True),
    Column("name", String(MAX_NAME), nullable=False, server_default=""),
    Column("first_seen_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    sqlite_autoincrement=True,  # the number of a deleted student is not used again
)
done = Table(
    "done",
    metadata,
    _student(),
    Column("lesson", String(MAX_WORD), nullable=False),
    Column("part", String(MAX_WORD), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    PrimaryKeyConstraint("student", "lesson", "part"),
)
answers = Table(
    "answers",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),  # in the order of arrival
    Column("id", String(MAX_ID), nullable=False, unique=True),
    _student(),
    Column("lesson", String(MAX_WORD), nullable=False),
    Column("step", String(MAX_WORD), nullable=False),
    Column("said", String(MAX_WORD), nullable=False),
    Column("truth", String(MAX_WORD), nullable=False),
    Column("is_right", Boolean, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Index(None, "lesson", "step"),
    Index(None, "student"),
    sqlite_autoincrement=True,
)
polls = Table(
    "polls",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String(MAX_ID), nullable=False, unique=True),
    Column("lesson", String(MAX_WORD), nullable=False),
    Column("step", String(MAX_WORD), nullable=False),
    Column("round", Integer, nullable=False),
    Column("machine", String(MAX_ID), nullable=False),
    Column("gpus", Integer, nullable=False),
    Column("memory_gib", Integer, nullable=False),
    Column("first", String(MAX_ID), nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("is_open", Boolean, nullable=False),
    Column("stage", String(MAX_ID), nullable=False),
    sqlite_autoincrement=True,
)
assignments = Table(
    "assignments",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("title", String(MAX_WORD), nullable=False),
    Column("parts", Text, nullable=False),  # one in a line, as in ``done``
    Column("due_at", UtcDateTime, nullable=False),
    sqlite_autoincrement=True,
)
votes = Table(
    "votes",
    metadata,
    Column("poll", ForeignKey("polls.id", ondelete="CASCADE"), nullable=False),
    _student(),
    Column("said", String(MAX_WORD), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    PrimaryKeyConstraint("poll", "student"),
    Index(None, "student"),
)
