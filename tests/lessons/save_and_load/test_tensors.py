"""The oracle is torch itself, writing the same tensors into memory."""

import io
import zipfile

import pytest
import torch

from playground import compute
from playground.lessons.save_and_load.tensors import Change, Saved, Tensors
from playground.steps import WriteFile
from tests.answers import answer_once

X, Y = torch.arange(7), torch.zeros(7)
VALUES = {Saved.TENSOR: X, Saved.LIST: [X, Y], Saved.DICT: {"x": X, "y": Y}, Saved.TWICE: [X, X]}


def write(value: object) -> bytes:
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


@pytest.mark.parametrize("saved", Saved)
def test_what_comes_back_is_what_was_saved(saved):
    changed = answer_once(Tensors(saved=saved, length=7))
    same = answer_once(Tensors(saved=saved, length=7, change=Change.NOTHING))

    assert same.prediction == "True"
    assert changed.prediction == ("True" if saved is Saved.TWICE else "False")
    assert changed.data.pieces[0][3].split()[1:4] == ["1", "2", "3"]
    numbers = {Saved.TENSOR: 7 * 8, Saved.TWICE: 7 * 8}.get(saved, 7 * 8 + 7 * 4)
    assert same.placeholders["number_bytes_exact"] == numbers
    with zipfile.ZipFile(io.BytesIO(write(VALUES[saved]))) as archive:
        stored = [each for each in archive.namelist() if "/data/" in each]
    assert len(same.data.records) == len(stored)


@pytest.mark.parametrize("saved", Saved)
def test_the_file_to_take_away_opens(saved):
    step = Tensors(saved=saved, length=7)
    with compute.running_inline():
        made = compute.run(WriteFile(of=step, file_name=step.files().downloads[0]))

    loaded = torch.load(io.BytesIO(made.data), weights_only=True)
    assert str(loaded) == str(VALUES[saved])
