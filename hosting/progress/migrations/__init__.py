"""Migrations of the database by alembic, version by version.

A new version is a file in ``versions`` that names the one before it; a released version is never
changed. A database is migrated in one transaction.
"""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, text

from hosting.progress.database import WRITES

HERE = Path(__file__).parent
LOCK = 0x746F7263  # an advisory lock of PostgreSQL


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
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        command.upgrade(_config(connection), to)


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
