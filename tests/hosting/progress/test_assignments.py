"""What a class has to do until a date, and who has done it in time."""

from datetime import UTC, datetime, timedelta

from hosting.progress import assignments
from hosting.progress.records import Assignment, Done, Seen
from hosting.progress.store import Store

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
