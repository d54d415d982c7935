import logging
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from hosting.progress import Answer, Done, Entry, ProgressUnavailableError, SavedProgress, Seen
from hosting.progress.database import open_engine
from hosting.progress.progress_writer import MAX_BACKOFF_SECONDS, ProgressWriter
from hosting.progress.records import SpillFile
from hosting.progress.store import Store
from tests.hosting.progress.conftest import sqlite
from tests.waiting import wait_until

SOON = 30.0  # seconds; a limit for a test that hangs, no expectation
GONE = OperationalError("statement", {}, sqlite3.OperationalError("unable to open database file"))
ANSWER = Answer(
    student="ada", lesson="tensors", step="move", said="works", truth="works", is_right=True
)


def step(number: int, student: str = "ada") -> Done:
    return Done(student=student, lesson="tensors", part=f"step {number}")


class FakeStore:
    """A store that is unavailable or slow, as a test sets it."""

    def __init__(self) -> None:
        self.failures: list[Exception] = []
        self.written: list[Entry] = []
        self.may_write, self.is_called = threading.Event(), threading.Event()
        self.may_write.set()
        self.opened = 0

    def ping(self) -> None:
        if self.failures:
            raise self.failures.pop(0)

    def open(self) -> None:
        self.opened += 1
        self.ping()

    def close(self) -> None: ...

    def write(self, entries: Sequence[Entry]) -> None:
        self.is_called.set()
        assert self.may_write.wait(SOON)
        self.ping()
        self.written += entries

    def load(self, _: str) -> SavedProgress:
        if self.failures:
            raise ProgressUnavailableError("progress_unavailable")
        return SavedProgress(name="Ada")


@pytest.fixture
def store():
    return FakeStore()


def test_a_database_that_is_gone_is_tried_again_and_gets_all_in_order(store, make_writer, caplog):
    caplog.set_level(logging.INFO)
    store.failures = [GONE] * 4
    writer = make_writer(store)
    entries = [step(number) for number in range(1_200)]  # more than one transaction takes

    assert writer.enqueue(entries) == []
    assert writer.wait_until_written(SOON)
    assert store.written == entries
    assert store.opened == 5
    assert not writer.is_failing
    logged = [record.getMessage() for record in caplog.records if "progress" in record.name]
    assert len(logged) == 2  # once that it is gone, once that it is back
    assert "unable to open database file" in logged[0]


def test_a_database_that_goes_while_nobody_needs_it_is_missed_all_the_same(store, make_writer):
    writer = make_writer(store, ping_seconds=0.01)
    assert writer.wait_until_written(SOON)
    store.failures = [GONE] * 3
    wait_until(lambda: writer.failures == 3)
    wait_until(lambda: writer.is_available)
    assert store.opened == 4  # once at the start; twice in vain, and then it was back


def test_pauses_between_tries_grow_and_have_an_end(store):
    now = 0.0
    writer = ProgressWriter(store, SpillFile(Path()), clock=lambda: now)  # type: ignore[arg-type]
    pauses = []
    for _ in range(40):
        writer._note_failure(GONE)
        pauses.append(writer._retry_at - now)

    assert pauses[0] < pauses[3] < pauses[6]
    assert max(pauses) <= MAX_BACKOFF_SECONDS * 1.25


def test_nobody_waits_for_a_database_that_hangs_and_what_is_new_replaces_what_waits(
    store, make_writer
):
    store.may_write.clear()
    writer = make_writer(store)
    writer.enqueue([Seen(student="ada", name="A")])
    assert store.is_called.wait(SOON)
    writer.enqueue([Seen(student="ada", name="Ada")])  # returns although a write is stuck
    latest = Seen(student="ada")  # seen again, and nothing said about the name
    writer.enqueue([latest])
    assert writer.waiting == 1
    store.may_write.set()

    assert writer.wait_until_written(SOON)
    assert store.written[-1] == replace(latest, name="Ada")


def test_a_full_queue_says_what_it_did_not_take(store, make_writer):
    store.may_write.clear()
    writer = make_writer(store, max_waiting=2)

    refused = writer.enqueue([step(0), step(1), step(2), step(0), step(3)])
    assert [each.key for each in refused] == [step(2).key, step(3).key]
    store.may_write.set()
    assert writer.wait_until_written(SOON)
    assert writer.enqueue(refused) == []
    assert writer.wait_until_written(SOON)
    assert {each.key for each in store.written} == {step(number).key for number in range(4)}


def test_reading_from_a_database_that_is_gone_fails_at_once_and_works_later(store, make_writer):
    writer = make_writer(store, ping_seconds=3_600.0)  # only who reads finds out that it is gone
    assert writer.wait_until_written(SOON)
    assert writer.load("ada").result(SOON).name == "Ada"

    store.failures = [GONE]
    with pytest.raises(ProgressUnavailableError):
        writer.load("ada").result(SOON)

    assert writer.wait_until_written(SOON)  # found out by itself that it is back
    assert writer.load("ada").result(SOON).name == "Ada"


def test_the_end_of_the_server_leaves_what_could_not_be_written_for_the_next(
    store, make_writer, tmp_path
):
    store.failures = [GONE] * 1_000
    writer = make_writer(store)
    entries = [step(0), ANSWER, Seen(student="ada", name="张量")]
    writer.enqueue(entries)
    writer.stop()
    (left,) = (tmp_path / "spill").iterdir()
    assert left.stat().st_mode & 0o077 == 0

    later = FakeStore()
    assert make_writer(later).wait_until_written(SOON)
    assert later.written == entries
    assert list((tmp_path / "spill").iterdir()) == []


def test_a_spool_that_cannot_be_written_or_read_stops_no_server(store, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    SpillFile(tmp_path / "file").write([ANSWER])  # no folder can be there
    assert "1 entries of progress are lost" in caplog.text
    for number, nonsense in enumerate((b"{", b'{"kind": "?", "at": "2026-01-01"}', b"[]", b"\xff")):
        (tmp_path / f"progress-left-{number}.jsonl").write_bytes(nonsense)
    assert SpillFile(tmp_path).take() == []


def test_forgetting_a_student_also_drops_what_waits(store, make_writer):
    store.failures = [GONE] * 1_000
    deleted: list[str] = []
    store.delete = deleted.append
    writer = make_writer(store)
    writer.enqueue([step(0), step(1, "bob"), ANSWER])

    writer.delete("ada")
    assert deleted == ["ada"]
    assert writer.waiting == 1


# -- real faults of real databases -----------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    return tmp_path / "data" / "progress.sqlite"


def kept(file: Path) -> set[str]:
    """Return what a plain sqlite3 program finds in the file."""
    with sqlite3.connect(file) as connection:
        found = {row[0] for row in connection.execute("SELECT part FROM done")}
    connection.close()
    return found


def test_the_file_is_made_for_nobody_else_to_read_and_again_where_it_was_deleted(file, make_writer):
    writer = make_writer(Store(open_engine(sqlite(file))))
    for number in range(2):
        writer.enqueue([step(number)])
        assert writer.wait_until_written(SOON)
        assert kept(file) == {f"step {number}"}
        assert file.stat().st_mode & 0o077 == 0
        assert file.parent.stat().st_mode & 0o077 == 0
        file.unlink()


def test_one_entry_that_cannot_be_written_holds_up_nobody(file, make_writer, caplog):
    writer = make_writer(Store(open_engine(sqlite(file))))
    writer.enqueue([step(0), replace(ANSWER, said=None, truth="a student's secret"), step(2)])
    assert writer.wait_until_written(SOON)
    assert kept(file) == {"step 0", "step 2"}
    assert "cannot be written" in caplog.text
    assert "secret" not in caplog.text


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


@pytest.mark.parametrize("fault", [locked, damaged])
def test_a_file_is_waited_for(file, make_writer, fault):
    engine = open_engine(sqlite(file))
    event.listen(engine, "connect", lambda db, _: db.execute("PRAGMA busy_timeout = 10"))
    with fault(file):
        writer = make_writer(Store(engine))
        assert writer.enqueue([step(0)]) == []
        wait_until(lambda: writer.is_failing)
        with pytest.raises(ProgressUnavailableError):
            writer.load("ada").result(SOON)

    assert writer.wait_until_written(SOON)
    assert kept(file) == {"step 0"}


def test_connections_that_the_server_cuts_are_made_again(postgresql, make_writer):
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
    assert writer.store.load("ada").done == {"tensors/step 0", "tensors/step 1"}


def test_what_is_old_is_deleted_by_itself_unless_the_clock_was_set(store, make_writer, monkeypatch):
    asked: list[datetime] = []
    store.delete_unseen_since = lambda moment: asked.append(moment) or 0
    assert make_writer(store, keep_days=0).wait_until_written(SOON)
    assert asked == []  # 0 is for ever

    assert make_writer(store, keep_days=30).wait_until_written(SOON)
    wait_until(lambda: asked)
    assert abs(asked[0] - (datetime.now(UTC) - timedelta(days=30))) < timedelta(minutes=10)

    jumped = ProgressWriter(store, SpillFile(Path("unused")), keep_days=30)
    tomorrow = datetime.now(UTC) + timedelta(days=2)
    monkeypatch.setattr("hosting.progress.progress_writer.now", lambda: tomorrow)
    jumped._delete_old()
    assert len(asked) == 1
