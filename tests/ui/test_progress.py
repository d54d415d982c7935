"""What a browser's own storage may bring back, whatever it holds."""

import pytest

from playground import catalog
from ui import progress, progress_sync

DONE = "tensors/same_device_error"
OLDER = "tensors/same-device-error"


@pytest.fixture(autouse=True)
def session(monkeypatch):
    state: dict[str, object] = {}
    monkeypatch.setattr(progress.st, "session_state", state)
    monkeypatch.setattr(progress_sync.st, "session_state", state)
    return state


def test_progress_comes_back_also_under_the_ids_of_older_links():
    challenge = catalog.lesson("tensors").step("same_device_error").words.challenges[0].id
    progress.restore({"done": [OLDER, f"tensors/challenge/{challenge}"], "at": "tensors/move"})

    assert progress.is_done("tensors", "same_device_error")
    assert progress.is_done("tensors", f"challenge/{challenge}")
    place = progress.last_step()
    assert place is not None
    assert (place[0].name, place[1]) == ("tensors", "move")
    assert progress.stored() == {
        "done": (f"tensors/challenge/{challenge}", DONE),
        "at": "tensors/move",
        "said": {},
    }


def test_predictions_of_an_earlier_visit_come_back_to_the_summary():
    earlier = ["works", "RuntimeError"]
    wrong = {"tensors/move": "cpu", "tensors/fix": ["a", 1], "moon/step": earlier, "": [["a"]]}
    progress.restore({"said": {OLDER: earlier, "tensors/one_to": ["a" * 81, "b"], **wrong}})
    progress.note_prediction("tensors", "same_device_error", "TypeError", "RuntimeError")

    assert progress.predictions(catalog.lesson("tensors")) == {
        "same_device_error": ("works", "RuntimeError")
    }
    assert progress.stored("tensors")["said"] == {DONE: ("works", "RuntimeError")}
    assert progress.stored("devices")["said"] == {}


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        "x" * 1000,
        {"done": "tensors"},
        {"done": [None, 3, {}, "moon/step", "tensors/no_such", "tensors/challenge/no"]},
        {"done": ["tensors/challenge/" + "a" * 10_000], "at": 7},
        {"at": "moon/step"},
        {"at": "tensors"},
    ],
)
def test_nonsense_brings_nothing_back(stored):
    progress.restore(stored)

    assert progress.stored() == {"done": (), "at": "", "said": {}}
    assert progress.last_step() is None


def test_a_shared_browser_says_nothing_of_one_student_to_another(session):
    session[progress_sync.KEY] = progress_sync.ProgressSync(student="ada", is_loaded=True)
    progress.restore({"done": [DONE], "at": DONE})

    assert progress.is_restored()
    assert not progress.is_done("tensors", "same_device_error")
    assert progress.stored() is None
