"""Whatever happens to the database, what sessions handed over is written once it is back."""

import logging
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from hosting.progress.keeper import LONGEST_PAUSE, Keeper
from hosting.progress.records import (
    Answer,
    Done,
    Entry,
    Kept,
    ProgressUnavailableError,
    Seen,
)
from hosting.progress.spool import Spool
from tests.hosting.progress.conftest import MakeKeeper
from tests.waiting import wait_until

SOON = 30.0  # seconds; a limit for a test that hangs, no expectation
GONE = OperationalError("statement", {}, sqlite3.OperationalError("unable to open database file"))
ANSWER = Answer(
    student="ada", lesson="tensors", step="move", said="works", truth="works", is_right=True
)


def step(number: int, student: str = "ada") -> Done:
    return Done(student=student, lesson="tensors", part=f"step {number}")


def parts(kept: Kept) -> set[str]:
    return {part.removeprefix("tensors/") for part in kept.done}


class Stand:
    """Stands in for the database: gone, slow or picky, as a test wants it."""

    def __init__(self) -> None:
        self.failures: list[Exception] = []
        self.written: list[Entry] = []
        self.is_let_on = threading.Event()
        self.is_let_on.set()
        self.is_asked = threading.Event()
        self.is_looked_at = threading.Event()
        self.refused: set[str] = set()
        self.opened = 0
        self.kept = Kept(name="Ada")
        self.forgotten: list[str] = []

    def open(self) -> None:
        self.opened += 1
        if self.failures:
            raise self.failures.pop(0)

    def close(self) -> None:
        pass

    def write(self, entries: Sequence[Entry]) -> None:
        self.is_asked.set()
        assert self.is_let_on.wait(SOON)
        if self.failures:
            raise self.failures.pop(0)
        if any(each.student in self.refused for each in entries):
            raise ValueError("a student's secret")
        self.written += entries

    def forget(self, student: str) -> None:
        self.forgotten.append(student)

    def load(self, _: str) -> Kept:
        if self.failures:
            raise ProgressUnavailableError("progress_unavailable")
        return self.kept

    def look(self) -> None:
        self.is_looked_at.set()
        if self.failures:
            raise self.failures.pop(0)


@pytest.fixture
def stand() -> Stand:
    return Stand()


def test_entries_are_written_in_their_order(stand: Stand, make_keeper: MakeKeeper) -> None:
    keeper = make_keeper(stand)

    entries = [step(number) for number in range(1_200)]  # more than one transaction takes
    assert keeper.hand_over(entries) == []

    assert keeper.wait_until_written(SOON)
    assert stand.written == entries
    assert not keeper.is_troubled


def test_nobody_waits_for_a_database_that_hangs(stand: Stand, make_keeper: MakeKeeper) -> None:
    stand.is_let_on.clear()
    keeper = make_keeper(stand)
    keeper.hand_over([step(0)])
    assert stand.is_asked.wait(SOON)

    keeper.hand_over([step(1)])  # returns although the thread is stuck in a write
    assert keeper.waiting == 2

    stand.is_let_on.set()
    assert keeper.wait_until_written(SOON)
    assert [each.key for each in stand.written] == [step(0).key, step(1).key]


def test_a_database_that_is_gone_is_tried_again_until_it_is_back(
    stand: Stand, make_keeper: MakeKeeper, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    stand.failures = [GONE] * 4
    keeper = make_keeper(stand)

    keeper.hand_over([step(0), ANSWER])

    assert keeper.wait_until_written(SOON)
    assert stand.written[0].key == step(0).key
    assert stand.opened == 5
    told = [record.getMessage() for record in caplog.records if "progress" in record.name]
    assert len(told) == 2  # once that it is gone, once that it is back
    assert "unable to open database file" in told[0]


def test_a_database_that_goes_while_nobody_needs_it_is_missed_all_the_same(
    stand: Stand, make_keeper: MakeKeeper
) -> None:
    keeper = make_keeper(stand, look_seconds=0.01)
    assert keeper.wait_until_written(SOON)
    assert stand.is_looked_at.wait(SOON)
    assert not keeper.is_troubled

    stand.failures = [GONE] * 3
    wait_until(lambda: keeper.failures == 3)
    wait_until(lambda: keeper.is_available)

    assert stand.opened == 4  # once at the start; twice in vain, and then it was back


def test_pauses_between_tries_grow_and_have_an_end(stand: Stand) -> None:
    now = 0.0
    keeper = Keeper(stand, Spool(Path()), clock=lambda: now)  # type: ignore[arg-type]
    pauses = []
    for _ in range(40):
        keeper._note_failure(GONE)
        pauses.append(keeper._retry_at - now)

    assert pauses[0] < pauses[3] < pauses[6]
    assert max(pauses) <= LONGEST_PAUSE * 1.25


def test_what_is_new_in_the_meantime_replaces_what_waits(
    stand: Stand, make_keeper: MakeKeeper
) -> None:
    stand.is_let_on.clear()
    keeper = make_keeper(stand)
    keeper.hand_over([Seen(student="ada", name="A")])
    assert stand.is_asked.wait(SOON)
    keeper.hand_over([Seen(student="ada", name="Ada")])
    latest = Seen(student="ada")  # seen again, and nothing said about the name
    keeper.hand_over([latest])
    stand.is_let_on.set()

    assert keeper.wait_until_written(SOON)
    assert stand.written[-1] == replace(latest, name="Ada")


def test_a_full_queue_says_what_it_did_not_take(stand: Stand, make_keeper: MakeKeeper) -> None:
    stand.is_let_on.clear()
    keeper = make_keeper(stand, most_waiting=2)

    refused = keeper.hand_over([step(0), step(1), step(2), step(0), step(3)])

    assert [each.key for each in refused] == [step(2).key, step(3).key]
    stand.is_let_on.set()
    assert keeper.wait_until_written(SOON)
    assert keeper.hand_over(refused) == []
    assert keeper.wait_until_written(SOON)
    assert {each.key for each in stand.written} == {step(number).key for number in range(4)}


def test_one_entry_that_cannot_be_written_holds_up_nobody(
    stand: Stand, make_keeper: MakeKeeper, caplog: pytest.LogCaptureFixture
) -> None:
    stand.refused = {"eve"}
    keeper = make_keeper(stand)

    keeper.hand_over([step(0), step(1, "eve"), step(2)])

    assert keeper.wait_until_written(SOON)
    assert [each.student for each in stand.written] == ["ada", "ada"]
    assert "cannot be written" in caplog.text
    assert "secret" not in caplog.text


def test_reading_from_a_database_that_is_gone_fails_at_once_and_works_later(
    stand: Stand, make_keeper: MakeKeeper
) -> None:
    keeper = make_keeper(stand, look_seconds=3_600.0)  # only who reads finds out that it is gone
    assert keeper.wait_until_written(SOON)
    assert keeper.load("ada").result(SOON) == stand.kept

    stand.failures = [GONE]
    with pytest.raises(ProgressUnavailableError):
        keeper.load("ada").result(SOON)

    assert keeper.wait_until_written(SOON)  # found out by itself that it is back
    assert keeper.load("ada").result(SOON) == stand.kept


def test_the_end_of_the_server_leaves_what_could_not_be_written_for_the_next(
    stand: Stand, make_keeper: MakeKeeper, tmp_path: Path
) -> None:
    stand.failures = [GONE] * 1_000
    keeper = make_keeper(stand)
    entries = [step(0), ANSWER, Seen(student="ada", name="张量")]
    keeper.hand_over(entries)
    keeper.stop()
    (left,) = (tmp_path / "spool").iterdir()
    assert left.stat().st_mode & 0o077 == 0

    later = Stand()
    assert make_keeper(later).wait_until_written(SOON)

    assert later.written == entries
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_spool_that_cannot_be_written_or_read_stops_no_server(
    stand: Stand, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    Spool(tmp_path / "file").leave([ANSWER])  # no folder can be there
    assert "1 entries of progress are lost" in caplog.text

    for number, nonsense in enumerate(("{", '{"kind": "?", "at": "2026-01-01"}', "[]", "\udc80")):
        (tmp_path / f"progress-left-{number}.jsonl").write_bytes(
            nonsense.encode("utf-8", "surrogatepass")
        )
    assert Spool(tmp_path).take() == []


def test_forgetting_a_student_also_drops_what_waits(stand: Stand, make_keeper: MakeKeeper) -> None:
    stand.failures = [GONE] * 1_000
    keeper = make_keeper(stand)
    keeper.hand_over([step(0), step(1, "bob"), ANSWER])

    keeper.forget("ada")

    assert stand.forgotten == ["ada"]
    assert keeper.waiting == 1
