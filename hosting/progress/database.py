"""Where the database is, and how it is opened: SQLite by default, PostgreSQL by its address."""

import os
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from hosting.parsing import SettingError
from hosting.settings import Settings

FILE = "progress.sqlite"
SECONDS_FOR_LOCK = 3  # a file that somebody else writes is waited for; then it is tried again later
WRITES = "progress_writes"  # an execution option: this transaction is going to write
DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
POSTGRESQL: dict[str, Any] = {  # a silent network is given up, in seconds and milliseconds
    "connect_timeout": 3,
    "tcp_user_timeout": 5_000,
    "options": "-c statement_timeout=5000 -c lock_timeout=3000 -c timezone=UTC",
    "application_name": "torch-playground",
}
PRAGMAS = (
    f"PRAGMA busy_timeout = {SECONDS_FOR_LOCK * 1000}",
    "PRAGMA journal_mode = WAL",  # who reads does not wait for who writes
    "PRAGMA synchronous = FULL",  # what was written survives a loss of power
    "PRAGMA foreign_keys = ON",
)


def open_database(settings: Settings) -> Engine:
    """Make the engine that the settings ask for; nothing is connected yet.

    Raises:
        SettingError: The address is none that can be used.
    """
    return open_engine(_address(settings))


def open_engine(address: URL) -> Engine:
    """Make the engine of an address."""
    try:
        if address.get_backend_name() == "sqlite":
            return _sqlite(address)
        return create_engine(
            address,
            connect_args=POSTGRESQL,
            pool_size=3,
            max_overflow=2,
            pool_timeout=3,
            pool_pre_ping=True,  # a server that was restarted in between is no error
        )
    except ModuleNotFoundError:
        raise SettingError(
            "PLAYGROUND_DATABASE needs a driver that is not installed: "
            "pip install -r requirements-postgresql.txt."
        ) from None


def file_of(engine: Engine) -> Path | None:
    """The file of a SQLite database; None for any other."""
    is_file = engine.dialect.name == "sqlite" and engine.url.database
    return Path(str(engine.url.database)) if is_file else None


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
    # No pool: a connection that stays open would go on writing into a file that was deleted.
    engine = create_engine(address, poolclass=NullPool, connect_args={"timeout": SECONDS_FOR_LOCK})

    @event.listens_for(engine, "do_connect")
    def make_file(_dialect: object, _record: object, args: list[Any], _more: object) -> None:
        file = Path(args[0])
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))  # nobody else may read it

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions are begun below, not by sqlite3
        for pragma in PRAGMAS:
            connection.execute(pragma)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
