"""Databases to keep progress in: SQLite always, PostgreSQL where the system has its programs."""

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, create_engine, text

from benchmarks.server import free_port
from hosting.progress.database import open_engine
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.records import SpillFile
from hosting.progress.store import Store

DEBIANS = Path("/usr/lib/postgresql")  # has a folder for each version, on nobody's path
NAME = "postgres"  # of the user whom Debian's package makes, and of the first database
OPTIONS = "-h 127.0.0.1 -k '' -N 40 -F -c synchronous_commit=off -c full_page_writes=off"


def sqlite(file: Path) -> URL:
    return URL.create("sqlite", database=str(file))


def programs() -> Path | None:
    """The folder of ``initdb`` and ``pg_ctl``; None where there is none."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    versions = sorted(DEBIANS.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return versions[-1].parent if versions else None


@pytest.fixture(scope="session")
def postgresql_server():
    """A new server, ended by its own id."""
    pytest.importorskip("psycopg")
    folder = programs()
    if folder is None:
        pytest.skip("no PostgreSQL: no initdb here")
    names = {each.pw_name for each in pwd.getpwall()}
    other = NAME if NAME in names else "nobody"
    user = other if os.geteuid() == 0 else None  # postgres refuses to be root's
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="postgresql-") as home:
        if user is not None:
            shutil.chown(home, user)

        def run(program: str, *more: str) -> None:
            command = [folder / program, "-D", f"{home}/data", *more]
            subprocess.run(command, check=True, cwd=home, user=user, stdout=subprocess.DEVNULL)

        run("initdb", "-U", NAME, "-A", "trust", "-E", "UTF8", "--no-sync")
        run("pg_ctl", "start", "-t", "600", "-l", f"{home}/log", "-o", f"-p {port} {OPTIONS}")
        yield URL.create("postgresql+psycopg", NAME, None, "127.0.0.1", port, NAME)
        run("pg_ctl", "stop", "-t", "600")


@pytest.fixture
def postgresql(postgresql_server):
    name = f"test_{uuid.uuid4().hex}"
    admin = create_engine(postgresql_server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield postgresql_server.set(database=name)
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request, tmp_path):
    """An empty database of either kind."""
    if request.param == "sqlite":
        return sqlite(tmp_path / "progress.sqlite")
    return request.getfixturevalue("postgresql")


@pytest.fixture
def engine(address):
    made = open_engine(address)
    yield made
    made.dispose()


@pytest.fixture
def store(engine):
    made = Store(engine)
    made.open()
    return made


@pytest.fixture
def make_writer(tmp_path, request):
    """Makes writers that retry soon, and stops them."""

    def make(store: Any, **more: Any) -> ProgressWriter:
        writer = ProgressWriter(store, SpillFile(tmp_path / "spill"), backoff_seconds=0.01, **more)
        request.addfinalizer(writer.stop)
        writer.start()
        return writer

    return make
