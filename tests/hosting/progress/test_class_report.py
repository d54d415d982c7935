"""What a teacher is reported and takes away, counted by hand."""

import csv
import io
from datetime import UTC, datetime

from hosting.progress.class_report import (
    AnswerCount,
    LessonRow,
    answers_csv,
    count_answers,
    count_done,
    done_csv,
    read_lessons,
    read_students,
)
from hosting.progress.records import Answer, Done, Seen
from hosting.progress.store import Store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FORMULAS = (
    *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", "  =1", "\u3000=1", '=HYPERLINK("x")'),
    *("x;=1+1", "x; =1", "x\t=1", "x\t\t@SUM(A1)", "x\n=1", "x\r\n;-1", '";=1', 'a,"b;+1', ";;=1"),
)


def answer(student: str, said: str, truth: str, step: str = "move") -> Answer:
    return Answer(
        student=student,
        lesson="tensors",
        step=step,
        said=said,
        truth=truth,
        is_right=said == truth,
        at=NOON,
    )


def rows(table: bytes, separator: str = ",") -> list[list[str]]:
    assert table.startswith(b"\xef\xbb\xbf")
    text = io.StringIO(table.decode("utf-8-sig"), newline="")
    return list(csv.reader(text, delimiter=separator))


def test_first_answers_are_counted_by_step_and_what_was_said(store: Store) -> None:
    store.write([answer("ada", "yes", "no"), answer("bob", "no", "no")])
    store.write([answer("ada", "no", "no"), answer("eve", "no", "no"), answer("eve", "no", "yes")])
    store.write([answer("ada", "cpu", "cpu", step="where")])
    store.write([Done(student="ada", lesson="tensors", part="move")])
    store.write([Done(student="zoe", lesson="tensors", part="move")])
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


def test_students_are_listed_with_what_they_did(store: Store) -> None:
    store.write([Seen(student="ada", name="Ada", at=NOON.replace(hour=13))])
    store.write([answer("bob", "no", "no"), answer("bob", "no", "yes", step="where")])
    store.write([Done(student="bob", lesson="tensors", part=part, at=NOON) for part in "abc"])

    ada, bob = read_students(store)

    assert (ada.name, ada.parts, ada.answered, ada.right) == ("Ada", 0, 0, 0)
    assert (bob.name, bob.parts, bob.answered, bob.right) == ("", 3, 2, 1)
    assert (ada.number, bob.number) == (1, 2)


def test_the_answers_are_a_table_that_a_spreadsheet_reads(store: Store) -> None:
    store.write([Seen(student="ada", name='Ada "张量", L.')])
    store.write([answer("ada", "yes", "no"), answer("ada", "no", "no")])

    assert rows(answers_csv(store)) == [
        ["student", "name", "lesson", "step", "said", "truth", "is_right", "at"],
        ["1", 'Ada "张量", L.', "tensors", "move", "yes", "no", "no", "2026-03-01T12:00:00+00:00"],
        ["1", 'Ada "张量", L.', "tensors", "move", "no", "no", "yes", "2026-03-01T12:00:00+00:00"],
    ]


def test_what_was_done_is_a_table_too(store: Store) -> None:
    store.write([Done(student="ada", lesson="tensors", part="move", at=NOON)])

    assert rows(done_csv(store)) == [
        ["student", "name", "lesson", "part", "at"],
        ["1", "", "tensors", "move", "2026-03-01T12:00:00+00:00"],
    ]


def test_a_name_is_never_a_formula(store: Store) -> None:
    store.write([Seen(student=str(number), name=name) for number, name in enumerate(FORMULAS)])
    store.write(
        [Done(student=str(number), lesson="a", part="b") for number in range(len(FORMULAS))]
    )

    table = done_csv(store)
    names = [row[1] for row in rows(table)[1:]]
    assert sorted(name.replace("'", "") for name in names) == sorted(FORMULAS)
    for separator in ",;\t":  # which one a spreadsheet takes depends on its language
        cells = [cell.strip() for row in rows(table, separator) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "＝"))]


def test_an_empty_class_is_an_empty_table(store: Store) -> None:
    assert len(rows(answers_csv(store))) == len(rows(done_csv(store))) == 1
