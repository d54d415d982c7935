"""How the tables came to be, version by version; brings a database of any age up to date.

A new version is a file in ``versions`` that names the one before it; once released it is never
changed. Everything happens in one transaction: a database is migrated whole, or not at all.
"""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, text

from hosting.progress.database import WRITES

HERE = Path(__file__).parent
LOCK = 0x746F7263  # of PostgreSQL, while a replica migrates


def migrate(engine: Engine, to: str = "head") -> None:
    """Bring the database up to date; replicas that start together take turns.

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
