import csv
import io
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from hosting.progress import ProgressUnavailableError, SavedProgress, class_report
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
from hosting.progress.exports import answers_csv, done_csv, steps_csv
from hosting.progress.records import Answer, Assignment, Done, Entry, Seen
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


def test_what_is_written_is_read_again_and_a_name_stays_until_an_empty_one_comes(store):
    store.write([Seen(student="ada", name="Ada 张量"), MOVE, replace(MOVE, part="challenge/fit")])
    store.write([Done(student="bob", lesson="blocks", part="first"), ANSWER])

    kept = store.load("ada")
    assert kept.name == "Ada 张量"
    assert kept.done == {"tensors/move", "tensors/challenge/fit"}
    assert kept.answers == {"tensors/move": ("works", "no")}
    assert store.load("bob").done == {"blocks/first"}
    assert store.load("nobody") == SavedProgress()
    for name, known in ((None, "Ada 张量"), ("", "")):
        store.write([Seen(student="ada", name=name)])
        assert store.load("ada").name == known


def test_the_same_entries_again_change_nothing_though_they_come_later(store):
    entries: list[Entry] = [ANSWER, MOVE]
    for _ in range(3):
        store.open()  # an open one, again
        store.write(entries)
    store.write(entries + entries)
    store.write([replace(MOVE, at=NOON + timedelta(days=1))])

    assert counts(store) == [1, 1, 1]
    with store.reading() as connection:
        assert connection.execute(select(done.c.at)).scalar_one() == NOON


def test_all_entries_are_written_or_none(store):
    broken = replace(ANSWER, id="other", said=None)  # type: ignore[arg-type]
    with pytest.raises(SQLAlchemyError):
        store.write([ANSWER, MOVE, broken])
    assert counts(store) == [0, 0, 0]


def test_a_forgotten_student_or_class_leaves_nothing_and_no_number_to_anybody(store):
    store.write([Seen(student="bob")])
    store.write([ANSWER, MOVE])
    (number,) = (row.number for row in read_students(store) if row.answered)

    store.delete("ada")
    store.write([Seen(student="eve")])

    assert store.load("ada") == SavedProgress()
    assert counts(store) == [2, 0, 0]
    assert number not in {row.number for row in read_students(store)}
    store.write([ANSWER, MOVE])
    class_report.create_assignment(store, Assignment(title="a", exercises=("b",), due_at=NOON))
    assert class_report.read_results(store)
    store.delete_all()
    assert counts(store) == [0, 0, 0]
    assert class_report.read_results(store) == {}


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
            entries: list[Entry] = [Seen(student=who) for who in order]
            for who in order:
                parts = (f"part {turn}", f"only {replica} {turn}")
                entries += [replace(MOVE, student=who, part=part) for part in parts]
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


def test_first_answers_count_in_what_a_teacher_sees_of_students_lessons_and_errors(store):
    store.write([answer("ada", "yes", "no"), answer("bob", "yes", "no"), answer("eve", "no", "no")])
    store.write([answer("ada", "no", "no"), answer("eve", "no", "yes")])  # not the first ones
    store.write([answer("ada", "cpu", "cuda", step="where")])
    store.write([replace(MOVE, student="zoe", part=part) for part in ("move", "add")])
    store.write([MOVE, Done(student="zoe", lesson="blocks", part="first")])
    store.write([Seen(student="bob", name="Bob", at=NOON.replace(hour=13))])

    students = read_students(store)
    assert [(row.number, row.name, row.parts, row.answered, row.right) for row in students] == [
        (2, "Bob", 0, 1, 0),
        (1, "", 1, 2, 0),
        (3, "", 0, 1, 1),
        (4, "", 3, 0, 0),
    ]
    assert read_lessons(store) == (
        LessonRow(lesson="blocks", students=1, answered=0, right=0),
        LessonRow(lesson="tensors", students=4, answered=4, right=1),
    )
    assert count_done(store, "tensors") == {"move": 2, "add": 1}
    assert count_answers(store, "tensors") == (
        AnswerCount(step="move", said="yes", is_right=False, students=2),
        AnswerCount(step="move", said="no", is_right=True, students=1),
        AnswerCount(step="where", said="cpu", is_right=False, students=1),
    )
    assert count_answers(store, "blocks") == ()
    errors = (
        WrongAnswer(lesson="tensors", step="move", said="yes", students=2, answered=3),
        WrongAnswer(lesson="tensors", step="where", said="cpu", students=1, answered=1),
    )
    assert most_frequent_errors(store, 5) == errors
    assert most_frequent_errors(store, 1) == errors[:1]
    assert frequent_truths(store, "tensors") == {"move": "no", "where": "cuda"}


def test_each_export_is_a_table_that_a_spreadsheet_reads(store):
    for export in (answers_csv, done_csv, steps_csv):
        assert len(rows(export(store))) == 1  # of an empty class
    store.write([Seen(student="ada", name='Ada "张量", L.'), MOVE])
    store.write([answer("ada", "yes", "no"), answer("ada", "no", "no")])
    store.write([Done(student="ada", lesson="lab", part="mlp", at=NOON)])

    ada, noon = ["1", 'Ada "张量", L.'], "2026-03-01T12:00:00+00:00"
    assert rows(answers_csv(store)) == [
        ["student", "name", "lesson", "step", "said", "truth", "is_right", "at"],
        [*ada, "tensors", "move", "yes", "no", "no", noon],
        [*ada, "tensors", "move", "no", "no", "yes", noon],
    ]
    assert rows(done_csv(store)) == [
        ["student", "name", "lesson", "part", "at"],
        [*ada, "lab", "mlp", noon],
        [*ada, "tensors", "move", noon],
    ]
    head, *steps = rows(steps_csv(store))
    assert head[:4] == ["student", "name", "lesson", "step"]
    assert steps == [
        [*ada, "lab", "mlp", noon, "", "", "", "", "0"],
        [*ada, "tensors", "move", noon, "yes", "no", "no", "yes", "2"],
    ]


def test_a_name_is_never_a_formula(store):
    for number, name in enumerate(FORMULAS):
        store.write([Seen(student=str(number), name=name), replace(MOVE, student=str(number))])

    table = done_csv(store)
    names = [row[1] for row in rows(table)[1:]]
    assert sorted(name.replace("'", "") for name in names) == sorted(FORMULAS)
    for separator in ",;\t":  # which one a spreadsheet takes depends on its language
        cells = [cell.strip() for row in rows(table, separator) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "＝"))]


def test_who_has_not_come_for_long_is_deleted_and_nobody_else(store: Store) -> None:
    store.write([replace(MOVE, student="old"), Seen(student="old", at=NOON - timedelta(days=9))])
    store.write([Seen(student="new", at=NOON)])
    assert store.delete_unseen_since(NOON - timedelta(days=8)) == 1
    assert [row.number for row in read_students(store)] == [2]


DUE = datetime(2026, 3, 1, 22, 59, 59, tzinfo=UTC)


def solved(student: str, exercise: str, after: timedelta = timedelta()) -> Done:
    return Done(student=student, lesson="lab", part=exercise, at=DUE + after)


def test_assignments_tell_what_was_passed_in_time_and_what_later_until_they_are_deleted(store):
    later = DUE + timedelta(days=7)
    first = Assignment(title="  Week\n1 ", exercises=("mlp", "tie"), due_at=DUE)
    class_report.create_assignment(store, first)
    class_report.create_assignment(store, Assignment(title="2", exercises=("save",), due_at=later))
    store.write([solved("ada", "mlp"), solved("ada", "tie", timedelta(seconds=1))])
    store.write([solved("bob", "other"), Seen(student="bob", name="Bob")])
    store.write([Done(student="bob", lesson="tensors", part="mlp", at=DUE)])
    (first, rows), (second, others) = class_report.read_results(store).items()

    assert (first.title, first.exercises, first.due_at) == ("Week 1", ("mlp", "tie"), DUE)
    assert second.due_at == later
    assert [(row.name, set(row.passed), row.in_time(DUE)) for row in rows] == [
        ("", {"mlp", "tie"}, 1),
        ("Bob", set(), 0),
    ]
    assert [row.in_time(later) for row in others] == [0, 0]
    for student in ("ada", "nobody"):
        assert store.load(student).assignments == (first, second)
    class_report.delete_assignment(store, first.number)
    assert store.load("ada").assignments == (second,)
