"""The oracle is torch itself, writing the same tensors into memory."""

import io
import zipfile

import pytest
import torch

from playground.lessons.save_and_load.tensors import Change, Saved, Tensors
from playground.steps import WriteFile
from tests.answers import answer, assert_answer

X, Y = torch.arange(7), torch.zeros(7)
VALUES = {Saved.TENSOR: X, Saved.LIST: [X, Y], Saved.DICT: {"x": X, "y": Y}, Saved.TWICE: [X, X]}


@pytest.mark.parametrize("saved", Saved)
def test_what_comes_back_is_what_was_saved(saved):
    step, is_twice = Tensors(saved=saved, length=7), saved is Saved.TWICE
    numbers = 7 * 8 if is_twice or saved is Saved.TENSOR else 7 * 8 + 7 * 4
    torch.save(VALUES[saved], file := io.BytesIO())
    with zipfile.ZipFile(file) as archive:
        stored = [each for each in archive.namelist() if "/data/" in each]

    changed = assert_answer(step, prediction=str(is_twice))
    assert changed.data.pieces[0][3].split()[1:4] == ["1", "2", "3"]
    nothing = step.replaced(change=Change.NOTHING)
    same = assert_answer(nothing, prediction="True", number_bytes_exact=numbers)
    assert len(same.data.records) == len(stored)


@pytest.mark.parametrize("saved", Saved)
def test_the_file_to_take_away_opens(saved):
    step = Tensors(saved=saved, length=7)
    made = answer(WriteFile(of=step, file_name=step.files().downloads[0]))

    loaded = torch.load(io.BytesIO(made.data), weights_only=True)
    assert str(loaded) == str(VALUES[saved])
