"""Real faults of real databases: what was handed over is written once they are over."""

import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import URL, event, make_url

from hosting.progress import Entry, ProgressUnavailableError
from hosting.progress.database import open_engine
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.store import Store
from tests.hosting.progress.conftest import MakeWriter, sqlite
from tests.hosting.progress.test_progress_writer import SOON, parts, step
from tests.waiting import wait_until


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "progress.sqlite"


def is_told(writer: ProgressWriter, *entries: Entry) -> None:
    """Hand entries over, and wait until the writer has noticed that they cannot be written."""
    assert writer.enqueue(entries) == []
    wait_until(lambda: writer.is_failing)


def kept(file: Path) -> set[str]:
    """What a program that knows nothing of ours finds in the file."""
    with sqlite3.connect(file) as connection:
        found = {row[0] for row in connection.execute("SELECT part FROM done")}
    connection.close()
    return found


def test_the_file_is_made_for_nobody_else_to_read_and_again_where_it_was_deleted(
    file: Path, make_writer: MakeWriter
) -> None:
    writer = make_writer(Store(open_engine(sqlite(file))))
    for number in range(2):
        writer.enqueue([step(number)])

        assert writer.wait_until_written(SOON)
        assert kept(file) == {f"step {number}"}
        assert file.stat().st_mode & 0o077 == 0
        assert file.parent.stat().st_mode & 0o077 == 0
        file.unlink()


@contextmanager
def no_folder(file: Path) -> Iterator[None]:
    """As with a volume that is not mounted yet."""
    file.parent.write_text("a file where the folder should be")
    yield
    file.parent.unlink()


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """By another process."""
    Store(open_engine(sqlite(file))).open()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield
    other.execute("ROLLBACK")
    other.close()


@contextmanager
def damaged(file: Path) -> Iterator[None]:
    """It is left alone until the operator removes it, who then puts the backup there."""
    file.parent.mkdir()
    file.write_bytes(b"this is no database" * 100)
    yield
    assert file.read_bytes() == b"this is no database" * 100
    file.unlink()


@pytest.mark.parametrize("fault", [no_folder, locked, damaged])
def test_a_file_is_waited_for(
    file: Path, make_writer: MakeWriter, fault: Callable[[Path], AbstractContextManager[None]]
) -> None:
    engine = open_engine(sqlite(file))
    event.listen(engine, "connect", lambda db, _: db.execute("PRAGMA busy_timeout = 10"))
    with fault(file):
        writer = make_writer(Store(engine))
        is_told(writer, step(0))

    assert writer.wait_until_written(SOON)
    assert kept(file) == {"step 0"}


# -- real faults of a real server --------------------------------------------------------------


def test_a_server_that_cannot_be_reached_stops_nobody(make_writer: MakeWriter) -> None:
    pytest.importorskip("psycopg")
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        address = make_url(f"postgresql+psycopg://nobody@127.0.0.1:{port}/nothing")
        writer = make_writer(Store(open_engine(address)))
        is_told(writer, step(0))

        with pytest.raises(ProgressUnavailableError):
            writer.load("ada").result(SOON)
        assert writer.waiting == 1


def test_connections_that_the_server_cuts_are_made_again(
    postgresql: URL, make_writer: MakeWriter
) -> None:
    engine = open_engine(postgresql)
    writer = make_writer(Store(engine))
    writer.enqueue([step(0)])
    assert writer.wait_until_written(SOON)
    killer = open_engine(postgresql.set(database="postgres"))
    cuts = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = %s"
    with killer.connect() as connection:
        cut = connection.exec_driver_sql(cuts, (postgresql.database,)).scalar_one()
    killer.dispose()
    assert cut >= 1

    writer.enqueue([step(1)])

    assert writer.wait_until_written(SOON)
    assert parts(writer.store.load("ada")) == {"step 0", "step 1"}
