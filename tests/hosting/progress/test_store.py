"""What is written is read again, a visitor who else writes, and however the clock jumps."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import URL, func, select
from sqlalchemy.exc import SQLAlchemyError

from hosting.progress import Answer, Done, Entry, ProgressUnavailableError, SavedProgress, Seen
from hosting.progress.class_report import count_answers, read_students
from hosting.progress.database import answers, done, open_engine, students
from hosting.progress.store import Store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANSWER = Answer(
    student="ada", lesson="tensors", step="move", said="works", truth="no", is_right=False, at=NOON
)


def counts(store: Store) -> list[int]:
    """How many students, parts that are done, and answers there are."""
    with store.reading() as connection:
        return [
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (students, done, answers)
        ]


def test_what_is_written_is_read_again(store: Store) -> None:
    store.write(
        [
            Seen(student="ada", name="Ada 张量"),
            Done(student="ada", lesson="tensors", part="move"),
            Done(student="ada", lesson="tensors", part="challenge/fit"),
            Done(student="bob", lesson="blocks", part="first"),
            ANSWER,
        ]
    )

    kept = store.load("ada")

    assert kept.name == "Ada 张量"
    assert kept.done == {"tensors/move", "tensors/challenge/fit"}
    assert kept.answers == {"tensors/move": "works"}
    assert store.load("bob").done == {"blocks/first"}
    assert store.load("nobody") == SavedProgress()


def test_the_same_entries_twice_change_nothing(store: Store) -> None:
    entries: list[Entry] = [ANSWER, Done(student="ada", lesson="tensors", part="move")]

    for _ in range(3):
        store.open()  # an open one, again
        store.write(entries)
    store.write(entries + entries)

    assert counts(store) == [1, 1, 1]


def test_a_step_was_done_when_it_was_done_first(store: Store) -> None:
    store.write([Done(student="ada", lesson="tensors", part="move", at=NOON)])
    store.write([Done(student="ada", lesson="tensors", part="move", at=NOON + timedelta(days=1))])

    with store.reading() as connection:
        assert connection.execute(select(done.c.at)).scalar_one() == NOON


def test_all_entries_are_written_or_none(store: Store) -> None:
    broken = replace(ANSWER, id="other", said=None)  # type: ignore[arg-type]

    with pytest.raises(SQLAlchemyError):
        store.write([ANSWER, Done(student="ada", lesson="tensors", part="move"), broken])

    assert counts(store) == [0, 0, 0]


def test_being_seen_keeps_the_name_and_an_empty_one_removes_it(store: Store) -> None:
    store.write([Seen(student="ada", name="Ada")])
    store.write([Seen(student="ada")])
    assert store.load("ada").name == "Ada"

    store.write([Seen(student="ada", name="")])
    assert store.load("ada").name == ""


def test_a_forgotten_student_leaves_nothing_and_no_number_to_anybody(store: Store) -> None:
    store.write([Seen(student="bob")])
    store.write([ANSWER, Done(student="ada", lesson="tensors", part="move")])
    (number,) = (row.number for row in read_students(store) if row.answered)

    store.delete("ada")
    store.write([Seen(student="eve")])

    assert store.load("ada") == SavedProgress()
    assert counts(store) == [2, 0, 0]
    assert number not in {row.number for row in read_students(store)}


def test_one_student_cannot_fill_the_disk_with_answers(store: Store) -> None:
    few = Store(store.engine, max_answers=3)

    few.write([replace(ANSWER, id=str(number)) for number in range(5)])
    few.write([replace(ANSWER, id="later"), replace(ANSWER, id="eve", student="eve")])

    assert counts(store) == [2, 0, 3 + 1]


def test_a_clock_that_is_set_back_does_not_change_which_answer_was_first(store: Store) -> None:
    first = replace(ANSWER, id="1", said="first", at=NOON)
    later = replace(ANSWER, id="2", said="later", at=NOON - timedelta(days=400))

    store.write([first])
    store.write([later])

    assert [row.said for row in count_answers(store, "tensors")] == ["first"]
    assert store.load("ada").answers == {"tensors/move": "later"}


def test_who_was_seen_before_the_clock_jumped_is_here_again_with_the_next_click(
    store: Store,
) -> None:
    store.write([Seen(student="ada", at=NOON + timedelta(days=1))])
    (row,) = read_students(store)
    assert row.seen_at == NOON + timedelta(days=1)
    assert not row.is_active(NOON)

    store.write([Seen(student="ada", at=NOON)])
    (row,) = read_students(store)
    assert row.is_active(NOON + timedelta(minutes=2))


def test_two_replicas_write_the_same_students_at_the_same_time(store: Store, address: URL) -> None:
    replicas = [Store(open_engine(address)) for _ in range(2)]
    everybody = [f"student {number}" for number in range(4)]
    start = threading.Barrier(2)

    def write(replica: int) -> None:
        order = everybody if replica else everybody[::-1]  # a way to wait for each other
        start.wait(300)
        for turn in range(8):
            entries: list[Entry] = []
            for who in order:
                parts = (f"part {turn}", f"only {replica} {turn}")
                entries.append(Seen(student=who))
                entries += [Done(student=who, lesson="tensors", part=part) for part in parts]
                entries.append(replace(ANSWER, student=who, id=f"{who} {replica} {turn}"))
            replicas[replica].write(entries)

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(write, range(2))) == [None] * 2
    for replica in replicas:
        replica.close()

    assert counts(store) == [4, 4 * (8 + 2 * 8), 4 * 2 * 8]


def test_who_reads_does_not_wait_for_who_writes(store: Store) -> None:
    store.write([ANSWER])

    with store.writing() as connection:
        connection.execute(students.update().values(name="half written"))
        assert store.load("ada").name == ""


def test_a_database_without_tables_is_reported_as_unavailable(engine: object, address: URL) -> None:
    empty = Store(open_engine(address))

    for ask in (
        lambda: empty.load("ada"),
        lambda: empty.delete("ada"),
        lambda: read_students(empty),
    ):
        with pytest.raises(ProgressUnavailableError):
            ask()
    empty.close()
