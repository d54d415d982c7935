from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import URL

from hosting import live_poll, progress
from hosting.live_poll import LivePoll, Poll, Snapshot, Stage
from hosting.live_poll.database_poll import DatabasePoll
from hosting.live_poll.memory_poll import MAX_POLLS, MAX_VOTERS, MemoryPoll
from hosting.progress import ProgressUnavailableError
from hosting.progress.database import open_engine
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.spill_file import SpillFile
from hosting.progress.store import Store
from hosting.settings import Gate, Settings
from tests.hosting.progress.conftest import sqlite
from tests.waiting import wait_until

POLL = Poll(lesson="tensors", step="same_device_error", round=2, machine="simulated", gpus=3)
AGAIN = Poll(lesson="tensors", step="same_device_error", round=2, first=POLL.id)
Replica = Callable[[URL], DatabasePoll]


@pytest.fixture
def replica(make_writer: Callable[..., ProgressWriter]) -> Iterator[Replica]:
    """Makes the polls of further web processes on a database."""
    made: list[DatabasePoll] = []

    def make(address: URL) -> DatabasePoll:
        store = Store(open_engine(address))
        store.open()
        poll = DatabasePoll(make_writer(store))
        made.append(poll)
        poll.start()
        return poll

    yield make
    for poll in made:
        poll.stop()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def polls(request: pytest.FixtureRequest, tmp_path: Any, replica: Replica) -> LivePoll:
    if request.param == "memory":
        return MemoryPoll()
    if request.param == "sqlite":
        return replica(sqlite(tmp_path / "progress.sqlite"))
    return replica(request.getfixturevalue("postgresql"))


def until(polls: LivePoll, seen: Callable[[Snapshot], object]) -> Snapshot:
    """The first snapshot of which something is true."""

    def look() -> Snapshot | None:
        found = polls.snapshot()
        return found if seen(found) else None

    return wait_until(look)


def test_votes_are_counted_and_a_changed_answer_replaces_the_first(polls: LivePoll) -> None:
    polls.ask(POLL)
    for voter, said in (("ada", "works"), ("bob", "RuntimeError"), ("ada", "RuntimeError")):
        polls.vote(POLL.id, voter, said)
    polls.vote(POLL.id, "eve", "works")

    found = until(polls, lambda each: len(each.votes) == 3 and each.votes["ada"] != "works")

    assert found.poll == POLL
    assert found.votes == {"ada": "RuntimeError", "bob": "RuntimeError", "eve": "works"}
    assert found.counts == {"RuntimeError": 2, "works": 1}
    assert (found.first, found.first_votes) == (None, {})


def test_stages_and_the_end_of_the_vote_are_the_teachers_word(polls: LivePoll) -> None:
    polls.ask(POLL)
    polls.change(POLL.id, stage=Stage.HISTOGRAM)
    assert polls.snapshot().poll == replace(POLL, stage=Stage.HISTOGRAM)
    polls.change(POLL.id, is_open=False)
    assert polls.snapshot().poll == replace(POLL, stage=Stage.HISTOGRAM, is_open=False)
    polls.change(POLL.id, is_open=True, stage=Stage.REASON)
    assert polls.snapshot().poll == replace(POLL, stage=Stage.REASON)
    polls.change("unknown", is_open=False)
    polls.end()
    assert polls.snapshot().poll is None


def test_the_second_vote_stands_beside_the_first(polls: LivePoll) -> None:
    polls.ask(POLL)
    polls.vote(POLL.id, "ada", "works")
    until(polls, lambda each: each.votes)
    polls.ask(AGAIN)
    assert polls.snapshot().votes == {}
    polls.vote(AGAIN.id, "ada", "RuntimeError")

    found = until(polls, lambda each: each.votes)

    assert (found.poll, found.first) == (AGAIN, replace(POLL, is_open=found.first.is_open))
    assert found.counts == {"RuntimeError": 1}
    assert found.first_counts == {"works": 1}


def test_students_whose_pages_are_open_are_counted_once(polls: LivePoll) -> None:
    for voter in ("ada", "bob", "ada"):
        polls.note_present(voter)

    until(polls, lambda each: each.present == 2)


def test_a_vote_on_another_replica_survives_the_end_of_both(
    address: URL, replica: Replica, tmp_path: Any
) -> None:
    here, there = replica(address), replica(address)
    here.ask(POLL)
    until(there, lambda each: each.poll == POLL)
    there.vote(POLL.id, "ada", "works")
    until(here, lambda each: each.votes)
    here.stop()
    there.stop()
    late = ProgressWriter(Store(open_engine(address)), SpillFile(tmp_path / "spill"))
    unwritten = DatabasePoll(late)
    unwritten.vote(POLL.id, "bob", "RuntimeError")  # the server ends before it is written
    late.stop()  # its thread never began

    restarted = replica(address)  # its writer takes over the file of the other one

    found = until(restarted, lambda each: len(each.votes) == 2)
    assert found.poll == POLL
    assert found.votes == {"ada": "works", "bob": "RuntimeError"}


def test_votes_of_a_deleted_student_are_gone(address: URL, replica: Replica) -> None:
    polls = replica(address)
    polls.ask(POLL)
    polls.vote(POLL.id, "ada", "works")
    until(polls, lambda each: each.votes)

    polls._writer.delete("ada")

    until(polls, lambda each: not each.votes)


def test_while_the_database_is_away_pages_go_on_and_the_teacher_is_told(
    address: URL, replica: Replica, monkeypatch: pytest.MonkeyPatch
) -> None:
    polls = replica(address)
    polls.ask(POLL)

    def refuse(*_: object) -> None:
        raise ProgressUnavailableError("progress_unavailable")

    with monkeypatch.context() as patch:
        for name in ("reading", "changing", "write"):
            patch.setattr(polls._writer.store, name, refuse)
        wait_until(lambda: polls.snapshot() and polls._is_failing)
        polls.vote(POLL.id, "ada", "works")
        assert polls.snapshot().poll == POLL  # as it was read last
        with pytest.raises(ProgressUnavailableError):
            polls.end()

    until(polls, lambda each: each.votes == {"ada": "works"})


def test_nobody_fills_the_memory_of_an_open_playground() -> None:
    polls = MemoryPoll()
    for _ in range(MAX_POLLS + 2):
        polls.ask(last := replace(POLL, id=live_poll.Poll(lesson="", step="").id))
    for number in range(MAX_VOTERS + 5):
        polls.note_present(f"{number}")
        polls.vote(last.id, f"{number}", "works")
    polls.vote(last.id, "0", "RuntimeError")

    found = polls.snapshot()

    assert (len(found.votes), found.present) == (MAX_VOTERS, MAX_VOTERS)
    assert found.votes["0"] == "RuntimeError"
    assert len(polls._polls) == MAX_POLLS


def test_presence_ends_some_time_after_the_last_question() -> None:
    moment = [0.0]
    polls = MemoryPoll(clock=lambda: moment[0])
    polls.note_present("ada")
    moment[0] = 60.0
    assert polls.snapshot().present == 1
    moment[0] = 600.0
    assert polls.snapshot().present == 0


def test_polls_are_in_the_database_where_progress_is(tmp_path: Any) -> None:
    live_poll.start()
    assert isinstance(live_poll.current(), MemoryPoll)
    progress.start(Settings(gate=Gate.CODE, class_code="tensor", data_folder=tmp_path))
    try:
        live_poll.start()
        assert isinstance(live_poll.current(), DatabasePoll)
    finally:
        live_poll.stop()
        progress.stop()
    assert isinstance(live_poll.current(), MemoryPoll)
