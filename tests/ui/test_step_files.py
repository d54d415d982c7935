"""A file that is made on a click; the click itself is the browser's (tests/e2e)."""

import io

import pytest
import torch

from playground import compute
from playground.errors import ExperimentTimedOutError, PlaygroundError
from playground.lessons.save_and_load.tensors import Saved, Tensors
from playground.steps import WriteFile
from ui.step_files import DownloadStatus, file_maker

SENTENCE = "No file, 稍后再试。"
SETTINGS = WriteFile(of=Tensors(saved=Saved.DICT, length=4), file_name="mydict")


def test_what_is_made_is_the_file_of_the_step():
    note = DownloadStatus()
    with compute.running_inline():
        data = file_maker(SETTINGS, note, SENTENCE)()

    loaded = torch.load(io.BytesIO(data), weights_only=True)
    assert loaded["x"].tolist() == [0, 1, 2, 3]
    assert note.error is None


def test_a_failing_worker_makes_no_file_and_leaves_a_reason(monkeypatch):
    note = DownloadStatus()

    def fail(*_: object) -> None:
        raise ExperimentTimedOutError("timed_out", seconds=20)

    with monkeypatch.context() as patched:
        patched.setattr(compute, "run", fail)
        with pytest.raises(PlaygroundError):
            file_maker(SETTINGS, note, SENTENCE)()
    assert note.error is not None
    assert note.error.key == "timed_out"

    with compute.running_inline():
        file_maker(SETTINGS, note, SENTENCE)()
    assert note.error is None  # the next one was made
