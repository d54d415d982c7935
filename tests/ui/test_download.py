"""A file that is made on a click; the click itself is the browser's (tests/e2e)."""

import io

import pytest
import torch

from playground import compute
from playground.errors import ExperimentTimedOutError, PlaygroundError
from playground.lessons.save_and_load.records import RoundTrip, Thing, WriteFile
from ui.download import Note, maker

SETTINGS = WriteFile(of=RoundTrip(thing=Thing.DICT, length=3))


def test_what_is_made_is_the_file_of_the_step() -> None:
    note = Note()
    with compute.running_inline():
        data = maker(SETTINGS, note)()

    loaded = torch.load(io.BytesIO(data), weights_only=True)
    assert loaded["x"].tolist() == [0, 1, 2]
    assert note.error is None


def test_a_failing_worker_makes_no_file_and_leaves_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    note = Note()

    def fail(*_: object) -> None:
        raise ExperimentTimedOutError("timed_out", seconds=20)

    with monkeypatch.context() as patched:
        patched.setattr(compute, "run", fail)
        with pytest.raises(PlaygroundError):
            maker(SETTINGS, note)()
    assert note.error is not None
    assert note.error.key == "timed_out"

    with compute.running_inline():
        maker(SETTINGS, note)()
    assert note.error is None  # the next one was made
