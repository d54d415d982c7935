from collections.abc import Callable
from dataclasses import replace
from unittest.mock import Mock

import pytest
from sqlalchemy import URL

from hosting.live_poll import MAX_POLLS, MAX_VOTERS, LivePoll, MemoryPoll
from hosting.progress import ProgressUnavailableError
from hosting.progress.database import open_engine
from hosting.progress.database_poll import DatabasePoll
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.records import Poll, Snapshot, SpillFile, Stage
from hosting.progress.store import Store
from tests.hosting.progress.conftest import sqlite
from tests.waiting import wait_until

POLL = Poll(lesson="tensors", step="same_device_error", round=2, machine="simulated", gpus=3)
AGAIN = Poll(lesson="tensors", step="same_device_error", round=2, first=POLL.id)


@pytest.fixture
def replica(make_writer, request):
    """Makes the polls of further web processes on a database."""

    def make(address: URL) -> DatabasePoll:
        store = Store(open_engine(address))
        store.open()
        poll = DatabasePoll(make_writer(store))
        request.addfinalizer(poll.stop)
        poll.start()
        return poll

    return make


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def polls(request, tmp_path, replica):
    if request.param == "memory":
        return MemoryPoll()
    if request.param == "sqlite":
        return replica(sqlite(tmp_path / "progress.sqlite"))
    return replica(request.getfixturevalue("postgresql"))


def until(polls: LivePoll, seen: Callable[[Snapshot], object]) -> Snapshot:
    """The first snapshot of which something is true."""
    return wait_until(lambda: found if seen(found := polls.snapshot()) else None)


def test_votes_are_counted_may_change_and_stand_beside_those_of_a_second_poll(polls) -> None:
    polls.ask(POLL)
    for voter, said in (("ada", "works"), ("bob", "RuntimeError"), ("ada", "RuntimeError")):
        polls.vote(POLL.id, voter, said)
    polls.vote(POLL.id, "eve", "works")

    found = until(polls, lambda each: len(each.votes) == 3 and each.votes["ada"] != "works")
    assert found.poll == POLL
    assert found.votes == {"ada": "RuntimeError", "bob": "RuntimeError", "eve": "works"}
    assert found.counts == {"RuntimeError": 2, "works": 1}
    assert (found.first, found.first_votes) == (None, {})

    polls.ask(AGAIN)
    assert polls.snapshot().votes == {}
    polls.vote(AGAIN.id, "ada", "TypeError")
    again = until(polls, lambda each: each.votes)
    assert (again.poll, again.first) == (AGAIN, replace(POLL, is_open=again.first.is_open))
    assert again.counts == {"TypeError": 1}
    assert again.first_counts == found.counts


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


def test_students_whose_pages_are_open_are_counted_once(polls: LivePoll) -> None:
    for voter in ("ada", "bob", "ada"):
        polls.note_present(voter)
    until(polls, lambda each: each.present == 2)


def test_a_vote_on_another_replica_survives_all_but_its_deletion(address, replica, tmp_path):
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
    restarted._writer.delete("ada")
    until(restarted, lambda each: set(each.votes) == {"bob"})
    restarted._writer.delete_all()
    until(restarted, lambda each: each.poll is None)


def test_without_the_database_pages_go_on_and_the_teacher_is_told(address, replica, monkeypatch):
    polls = replica(address)
    polls.ask(POLL)
    refuse = Mock(side_effect=ProgressUnavailableError("progress_unavailable"))
    with monkeypatch.context() as patch:
        for name in ("reading", "changing", "write"):
            patch.setattr(polls._writer.store, name, refuse)
        wait_until(lambda: polls.snapshot() and polls._is_failing)
        polls.vote(POLL.id, "ada", "works")
        assert polls.snapshot().poll == POLL  # as it was read last
        with pytest.raises(ProgressUnavailableError):
            polls.end()

    until(polls, lambda each: each.votes == {"ada": "works"})


def test_nobody_fills_the_memory_of_an_open_playground_and_who_leaves_is_not_counted_long() -> None:
    moment = [0.0]
    polls = MemoryPoll(clock=lambda: moment[0])
    for _ in range(MAX_POLLS + 2):
        polls.ask(last := replace(POLL, id=Poll(lesson="", step="").id))
    for number in range(MAX_VOTERS + 5):
        polls.note_present(f"{number}")
        polls.vote(last.id, f"{number}", "works")
    polls.vote(last.id, "0", "RuntimeError")

    moment[0] = 60.0
    found = polls.snapshot()
    assert (len(found.votes), found.present) == (MAX_VOTERS, MAX_VOTERS)
    assert found.votes["0"] == "RuntimeError"
    assert len(polls._polls) == MAX_POLLS
    moment[0] = 600.0
    assert polls.snapshot().present == 0
