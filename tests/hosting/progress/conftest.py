"""Databases to keep progress in: SQLite always, PostgreSQL where the system has its programs.

``TEST_POSTGRESQL=postgresql://user@host/name`` names another server, where databases may be made.
"""

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, Engine, create_engine, make_url, text

from hosting.progress.database import DRIVERS, open_engine
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.spill_file import SpillFile
from hosting.progress.store import Store
from tests.hosting.progress.postgresql import programs, running

GIVEN = "TEST_POSTGRESQL"
MakeWriter = Callable[..., ProgressWriter]


def sqlite(file: Path) -> URL:
    return URL.create("sqlite", database=str(file))


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[URL]:
    """A PostgreSQL server: the one that is given, or a new one."""
    pytest.importorskip("psycopg")
    if GIVEN in os.environ:
        server = make_url(os.environ[GIVEN])
        yield server.set(drivername=DRIVERS.get(server.drivername, server.drivername))
        return
    folder = programs()
    if folder is None:
        pytest.skip(f"no PostgreSQL: no initdb here, and {GIVEN} names none")
    with running(folder) as server:
        yield server


@pytest.fixture
def postgresql(postgresql_server: URL) -> Iterator[URL]:
    """A new database on it."""
    server = postgresql_server
    name = f"test_{uuid.uuid4().hex}"
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield server.set(database=name)
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return sqlite(tmp_path / "progress.sqlite")
    given: URL = request.getfixturevalue("postgresql")
    return given


@pytest.fixture
def engine(address: URL) -> Iterator[Engine]:
    made = open_engine(address)
    yield made
    made.dispose()


@pytest.fixture
def store(engine: Engine) -> Store:
    made = Store(engine)
    made.open()
    return made


@pytest.fixture
def make_writer(tmp_path: Path) -> Iterator[MakeWriter]:
    """Makes writers that retry soon, and stops them."""
    made: list[ProgressWriter] = []

    def make(store: Any, **more: Any) -> ProgressWriter:
        writer = ProgressWriter(store, SpillFile(tmp_path / "spill"), backoff_seconds=0.01, **more)
        made.append(writer)
        writer.start()
        return writer

    yield make
    for writer in made:
        writer.stop()
