"""Databases to keep progress in: SQLite always, PostgreSQL where the system has its programs."""

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, create_engine, text

from benchmarks.server import free_port
from hosting.progress.database import open_engine
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.spill_file import SpillFile
from hosting.progress.store import Store
from tests.waiting import MAX_SECONDS, wait_until

DEBIANS = Path("/usr/lib/postgresql")  # has a folder for each version, on nobody's path
NAME = "postgres"  # of the user whom Debian's package makes, and of the first database
QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=40")


def sqlite(file: Path) -> URL:
    return URL.create("sqlite", database=str(file))


def programs() -> Path | None:
    """The folder of ``initdb`` and ``postgres``; None where there is none."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    versions = sorted(DEBIANS.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return versions[-1].parent if versions else None


@contextmanager
def running_postgresql(folder: Path) -> Iterator[URL]:
    """A new server, a process of its own, ended by its own id.

    Args:
        folder: Of its programs.
    """
    names = {each.pw_name for each in pwd.getpwall()}
    other = NAME if NAME in names else "nobody"
    user = other if os.geteuid() == 0 else None  # postgres refuses to be root's
    address = URL.create("postgresql+psycopg", NAME, host="127.0.0.1", port=free_port())
    address = address.set(database=NAME)
    with tempfile.TemporaryDirectory(prefix="postgresql-") as home:
        data = Path(home) / "data"
        if user is not None:
            shutil.chown(home, user)
        initdb = [folder / "initdb", "-D", data, "-U", NAME, "-A", "trust", "-E", "UTF8"]
        subprocess.run([*initdb, "--no-sync"], check=True, capture_output=True, cwd=home, user=user)
        command: list[str | Path] = [folder / "postgres", "-D", data, "-p", str(address.port)]
        for option in ("listen_addresses=127.0.0.1", "unix_socket_directories=", *QUICK):
            command += ["-c", option]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        server = subprocess.Popen(command, cwd=home, user=user, **quiet)

        def answers() -> bool:
            assert server.poll() is None, "PostgreSQL did not start"
            return is_reachable(address)

        try:
            wait_until(answers)
            yield address
        finally:
            server.terminate()
            server.wait(MAX_SECONDS)


def is_reachable(address: URL) -> bool:
    import psycopg

    try:
        psycopg.connect(host=address.host, port=address.port, user=NAME, dbname=NAME).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture(scope="session")
def postgresql_server():
    pytest.importorskip("psycopg")
    folder = programs()
    if folder is None:
        pytest.skip("no PostgreSQL: no initdb here")
    with running_postgresql(folder) as server:
        yield server


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
    given: URL = request.getfixturevalue("postgresql")
    return given


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
def make_writer(tmp_path):
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
