import csv
import io
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from hosting.progress import (
    Answer,
    Done,
    Entry,
    ProgressUnavailableError,
    SavedProgress,
    Seen,
    assignments,
)
from hosting.progress.class_export import answers_csv, done_csv, steps_csv
from hosting.progress.class_report import (
    AnswerCount,
    LessonRow,
    WrongAnswer,
    count_answers,
    count_done,
    frequent_truths,
    most_frequent_errors,
    read_lessons,
    read_students,
)
from hosting.progress.database import answers, done, open_engine, students
from hosting.progress.records import Assignment
from hosting.progress.store import Store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FORMULAS = (
    *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", "  =1", "\u3000=1", '=HYPERLINK("x")'),
    *("x;=1+1", "x; =1", "x\t=1", "x\t\t@SUM(A1)", "x\n=1", "x\r\n;-1", '";=1', 'a,"b;+1', ";;=1"),
)


def answer(student: str, said: str, truth: str, step: str = "move") -> Answer:
    right = said == truth
    who = {"student": student, "lesson": "tensors", "step": step}
    return Answer(**who, said=said, truth=truth, is_right=right, at=NOON)


ANSWER = answer("ada", "works", "no")
MOVE = Done(student="ada", lesson="tensors", part="move", at=NOON)


def counts(store: Store) -> list[int]:
    with store.reading() as connection:
        return [
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (students, done, answers)
        ]


def test_what_is_written_is_read_again(store):
    store.write(
        [
            Seen(student="ada", name="Ada 张量"),
            MOVE,
            Done(student="ada", lesson="tensors", part="challenge/fit"),
            Done(student="bob", lesson="blocks", part="first"),
            ANSWER,
        ]
    )

    kept = store.load("ada")

    assert kept.name == "Ada 张量"
    assert kept.done == {"tensors/move", "tensors/challenge/fit"}
    assert kept.answers == {"tensors/move": ("works", "no")}
    assert store.load("bob").done == {"blocks/first"}
    assert store.load("nobody") == SavedProgress()


def test_the_same_entries_twice_change_nothing(store):
    entries: list[Entry] = [ANSWER, MOVE]

    for _ in range(3):
        store.open()  # an open one, again
        store.write(entries)
    store.write(entries + entries)

    assert counts(store) == [1, 1, 1]


def test_a_step_was_done_when_it_was_done_first(store):
    store.write([MOVE])
    store.write([replace(MOVE, at=NOON + timedelta(days=1))])

    with store.reading() as connection:
        assert connection.execute(select(done.c.at)).scalar_one() == NOON


def test_all_entries_are_written_or_none(store):
    broken = replace(ANSWER, id="other", said=None)  # type: ignore[arg-type]

    with pytest.raises(SQLAlchemyError):
        store.write([ANSWER, MOVE, broken])

    assert counts(store) == [0, 0, 0]


def test_being_seen_keeps_the_name_and_an_empty_one_removes_it(store):
    store.write([Seen(student="ada", name="Ada")])
    store.write([Seen(student="ada")])
    assert store.load("ada").name == "Ada"

    store.write([Seen(student="ada", name="")])
    assert store.load("ada").name == ""


def test_a_forgotten_student_leaves_nothing_and_no_number_to_anybody(store):
    store.write([Seen(student="bob")])
    store.write([ANSWER, MOVE])
    (number,) = (row.number for row in read_students(store) if row.answered)

    store.delete("ada")
    store.write([Seen(student="eve")])

    assert store.load("ada") == SavedProgress()
    assert counts(store) == [2, 0, 0]
    assert number not in {row.number for row in read_students(store)}


def test_one_student_cannot_fill_the_disk_with_answers(store):
    few = Store(store.engine, max_answers=3)

    few.write([replace(ANSWER, id=str(number)) for number in range(5)])
    few.write([replace(ANSWER, id="later"), replace(ANSWER, id="eve", student="eve")])

    assert counts(store) == [2, 0, 3 + 1]


def test_a_clock_that_is_set_back_changes_neither_the_first_answer_nor_who_is_here(store):
    store.write([Seen(student="ada", at=NOON + timedelta(days=400))])
    store.write([replace(ANSWER, id="1", said="first", at=NOON + timedelta(days=400))])
    (row,) = read_students(store)
    assert not row.is_active(NOON)
    store.write([Seen(student="ada", at=NOON)])
    store.write([replace(ANSWER, id="2", said="later", at=NOON)])

    (row,) = read_students(store)
    assert row.is_active(NOON + timedelta(minutes=2))
    assert [row.said for row in count_answers(store, "tensors")] == ["first"]
    assert store.load("ada").answers == {"tensors/move": ("later", "no")}


def test_two_replicas_write_the_same_students_at_the_same_time(store, address):
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


def test_who_reads_does_not_wait_for_who_writes(store):
    store.write([ANSWER])

    with store.writing() as connection:
        connection.execute(students.update().values(name="half written"))
        assert store.load("ada").name == ""


def test_a_database_without_tables_is_reported_as_unavailable(engine, address):
    empty = Store(open_engine(address))

    for ask in (empty.load, empty.delete, lambda _: read_students(empty)):
        with pytest.raises(ProgressUnavailableError):
            ask("ada")
    empty.close()


# -- what a teacher sees and takes away ------------------------------------------------------------


def rows(table: bytes, separator: str = ",") -> list[list[str]]:
    assert table.startswith(b"\xef\xbb\xbf")
    text = io.StringIO(table.decode("utf-8-sig"), newline="")
    return list(csv.reader(text, delimiter=separator))


def test_first_answers_are_counted_by_step_and_what_was_said(store):
    store.write([answer("ada", "yes", "no"), answer("bob", "no", "no")])
    store.write([answer("ada", "no", "no"), answer("eve", "no", "no"), answer("eve", "no", "yes")])
    store.write([answer("ada", "cpu", "cpu", step="where")])
    store.write([MOVE, replace(MOVE, student="zoe")])
    store.write([Done(student="zoe", lesson="blocks", part="first")])

    assert count_answers(store, "tensors") == (
        AnswerCount(step="move", said="no", is_right=True, students=2),
        AnswerCount(step="move", said="yes", is_right=False, students=1),
        AnswerCount(step="where", said="cpu", is_right=True, students=1),
    )
    assert read_lessons(store) == (
        LessonRow(lesson="blocks", students=1, answered=0, right=0),
        LessonRow(lesson="tensors", students=4, answered=4, right=3),
    )
    assert count_done(store, "tensors") == {"move": 2}
    assert count_answers(store, "blocks") == ()


def test_students_are_listed_with_what_they_did(store):
    store.write([Seen(student="ada", name="Ada", at=NOON.replace(hour=13))])
    store.write([answer("bob", "no", "no"), answer("bob", "no", "yes", step="where")])
    store.write([replace(MOVE, student="bob", part=part) for part in "abc"])

    ada, bob = read_students(store)

    assert (ada.number, ada.name, ada.parts, ada.answered, ada.right) == (1, "Ada", 0, 0, 0)
    assert (bob.number, bob.name, bob.parts, bob.answered, bob.right) == (2, "", 3, 2, 1)


def test_answers_and_what_was_done_are_tables_that_a_spreadsheet_reads(store):
    assert len(rows(answers_csv(store))) == len(rows(done_csv(store))) == 1  # of an empty class
    store.write([Seen(student="ada", name='Ada "张量", L.'), MOVE])
    store.write([answer("ada", "yes", "no"), answer("ada", "no", "no")])

    ada, noon = ["1", 'Ada "张量", L.', "tensors", "move"], "2026-03-01T12:00:00+00:00"
    assert rows(answers_csv(store)) == [
        ["student", "name", "lesson", "step", "said", "truth", "is_right", "at"],
        [*ada, "yes", "no", "no", noon],
        [*ada, "no", "no", "yes", noon],
    ]
    assert rows(done_csv(store)) == [["student", "name", "lesson", "part", "at"], [*ada, noon]]


def test_a_name_is_never_a_formula(store):
    for number, name in enumerate(FORMULAS):
        store.write([Seen(student=str(number), name=name), replace(MOVE, student=str(number))])

    table = done_csv(store)
    names = [row[1] for row in rows(table)[1:]]
    assert sorted(name.replace("'", "") for name in names) == sorted(FORMULAS)
    for separator in ",;\t":  # which one a spreadsheet takes depends on its language
        cells = [cell.strip() for row in rows(table, separator) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "＝"))]


def test_the_most_frequent_errors_come_first_with_their_share(store: Store) -> None:
    store.write([answer("ada", "works", "no"), answer("bob", "works", "no", "add")])
    store.write(
        [answer("ada", "no", "no"), answer("eve", "works", "no"), answer("dan", "no", "no")]
    )

    assert most_frequent_errors(store, 5) == (
        WrongAnswer(lesson="tensors", step="move", said="works", students=2, answered=3),
        WrongAnswer(lesson="tensors", step="add", said="works", students=1, answered=1),
    )
    assert len(most_frequent_errors(store, 1)) == 1
    assert frequent_truths(store, "tensors") == {"move": "no", "add": "no"}


def test_the_export_by_step_has_the_first_and_the_last_answer_of_each_student(store: Store) -> None:
    store.write([Seen(student="ada", name="=1+1"), MOVE, answer("ada", "works", "no")])
    store.write([answer("ada", "no", "no"), Done(student="ada", lesson="lab", part="mlp", at=NOON)])

    head, *rows = csv.reader(io.StringIO(steps_csv(store).decode("utf-8-sig")))

    assert head[:4] == ["student", "name", "lesson", "step"]
    noon = NOON.isoformat(timespec="seconds")
    assert rows == [
        ["1", "'=1+1", "lab", "mlp", noon, "", "", "", "", "0"],
        ["1", "'=1+1", "tensors", "move", noon, "works", "no", "no", "yes", "2"],
    ]


def test_the_data_of_a_class_are_deleted_in_one_act(store: Store) -> None:
    store.write([ANSWER, MOVE, Seen(student="bob")])

    store.delete_all()

    assert counts(store) == [0, 0, 0]


def test_who_has_not_come_for_long_is_deleted_and_nobody_else(store: Store) -> None:
    store.write([replace(MOVE, student="old"), Seen(student="old", at=NOON - timedelta(days=9))])
    store.write([Seen(student="new", at=NOON)])

    assert store.delete_unseen_since(NOON - timedelta(days=8)) == 1

    assert [row.number for row in read_students(store)] == [2]


DUE = datetime(2026, 3, 1, 22, 59, 59, tzinfo=UTC)


def solved(student: str, exercise: str, after: timedelta = timedelta()) -> Done:
    return Done(student=student, lesson="lab", part=exercise, at=DUE + after)


def test_results_tell_what_was_passed_in_time_and_what_later(store: Store) -> None:
    assignments.create(store, Assignment(title="  Week\n1 ", exercises=("mlp", "tie"), due_at=DUE))
    later = DUE + timedelta(days=7)
    assignments.create(store, Assignment(title="Week 2", exercises=("save",), due_at=later))
    store.write([solved("ada", "mlp"), solved("ada", "tie", timedelta(seconds=1))])
    store.write([solved("bob", "other"), Seen(student="bob", name="Bob")])
    store.write([Done(student="bob", lesson="tensors", part="mlp", at=DUE)])

    (first, rows), (second, others) = assignments.read_results(store).items()

    assert (first.title, first.exercises, first.due_at) == ("Week 1", ("mlp", "tie"), DUE)
    assert second.due_at == later
    assert [(row.name, set(row.passed), row.in_time(DUE)) for row in rows] == [
        ("", {"mlp", "tie"}, 1),
        ("Bob", set(), 0),
    ]
    assert [row.in_time(later) for row in others] == [0, 0]


def test_students_get_the_assignments_with_their_progress_until_they_are_deleted(
    store: Store,
) -> None:
    assignments.create(store, Assignment(title="Week 1", exercises=("mlp",), due_at=DUE))
    store.write([Seen(student="ada")])

    (known,) = store.load("ada").assignments
    assert store.load("nobody").assignments == (known,)
    assignments.delete(store, known.number)
    assert store.load("ada").assignments == ()
