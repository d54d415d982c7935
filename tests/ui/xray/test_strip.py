"""The file as a strip: its pieces add up to the file."""

import re

import pytest
import torch

from playground.checkpoints.inspect import inspect
from playground.checkpoints.save import save_safetensors, save_torch
from ui.xray import strip as drawing

STATE = {"<b>a": torch.ones(300), "b": torch.ones(5, dtype=torch.float64)}
PIECE = re.compile(r'<i( class="tp-numbers")? style="flex-grow:(\d+)" title="([^"]*)">')


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "say", lambda key, **values: f"{key} {values}")


@pytest.mark.parametrize("save", [save_torch, save_safetensors])
def test_the_pieces_make_up_the_file_and_the_coloured_ones_its_numbers(save) -> None:
    data = save(STATE).data
    pieces = PIECE.findall(drawing.strip(inspect(data, "w.pt")))

    assert sum(int(size) for _, size, _ in pieces) == len(data)
    assert sum(int(size) for kind, size, _ in pieces if kind) == 300 * 4 + 5 * 8


def test_a_file_without_records_has_no_strip() -> None:
    assert drawing.strip(inspect(b"", "w.pt")) == ""
