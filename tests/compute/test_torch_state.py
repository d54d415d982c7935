import os
import random
from pathlib import Path

import numpy as np
import pytest
import torch

from playground.compute.torch_state import preserve_torch_state
from tests.compute.probe.experiment import read_state, wreck_state
from tests.compute.probe.records import ReadState, WreckState


def test_a_task_that_alters_everything_and_fails_leaves_no_trace(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")  # another value than the one that is set
    before, wrecked = dict(read_state(ReadState())), {}

    def fail() -> None:
        with preserve_torch_state():
            wrecked.update(wreck_state(WreckState()))
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert {name for name in before if wrecked[name] == before[name]} == set()
    assert dict(read_state(ReadState())) == before


def test_the_numbers_drawn_next_are_those_drawn_without_the_task():
    def draw() -> tuple[list[float], float, float]:
        return torch.rand(3).tolist(), random.random(), np.random.rand()

    with preserve_torch_state():
        expected = draw()

    with preserve_torch_state():
        draw(), draw()

    assert draw() == expected


def test_modes_of_the_caller_stay():
    with torch.no_grad(), torch.device("meta"), torch.inference_mode():
        with preserve_torch_state():
            torch.set_default_device("cpu")
            torch.set_grad_enabled(True)
            torch.inference_mode(False).__enter__()

        assert torch.ones(1).is_meta
        assert not torch.is_grad_enabled()
        assert torch.is_inference_mode_enabled()
    assert torch.ones(1).device.type == "cpu"


def test_a_folder_that_was_removed_meanwhile_is_left(tmp_path, monkeypatch):
    home, gone = Path.cwd(), tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    with preserve_torch_state():
        os.chdir(tmp_path)

    monkeypatch.chdir(home)
