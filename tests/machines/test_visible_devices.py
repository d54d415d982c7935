from collections.abc import Sequence

import pytest
import torch

from playground.machines.visible_devices import visible_gpus

UUIDS = ("GPU-aaaa1111-0000", "GPU-aaaa2222-0000", "GPU-bbbb3333-0000", "GPU-cccc4444-0000")
VALUES = [
    *("1", "0,2,3", "3,1", "", "-1", "nonsense", "0,0", " 1", "1,x,2", "1 ,2", "0,-1,1", "7"),
    *("1,7,2", "0,7,0", "1gpu2,2ampere", "+1", "-0", "00,1", "1.5", ",1", "1,", "0;1", "0x1"),
    *("GPU-bbbb", "GPU-aaaa", "GPU-aaaa1,GPU-cccc", "GPU-cccc,0", "0,GPU-cccc", " GPU-bbbb"),
    *("GPU-bbbb,GPU-bbbb", "GPU-bbbb,GPU-bbbb3", "GPU-bbbb, GPU-cccc", "GPU-zzzz", "GPU-"),
    *("gpu-bbbb", "MIG-aaaa", "GPU-bbbb,MIG-aaaa"),
]


def torchs_answer(value: str | None, uuids: Sequence[str]) -> tuple[int, ...]:
    """torch's own parser: the oracle."""
    parsed = torch.cuda._parse_visible_devices()
    if parsed and isinstance(parsed[0], str):
        return tuple(torch.cuda._transform_uuid_to_ordinals(parsed, list(uuids)))
    known = next((n for n, index in enumerate(parsed) if index >= len(uuids)), len(parsed))
    return tuple(parsed[:known])


@pytest.mark.parametrize("gpus", [0, 1, 2, 4])
@pytest.mark.parametrize("value", VALUES)
def test_every_value_is_read_as_torch_reads_it(monkeypatch, value, gpus):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)

    assert visible_gpus(value, UUIDS[:gpus]) == torchs_answer(value, UUIDS[:gpus])


def test_an_unset_variable_shows_all(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    assert visible_gpus(None, UUIDS) == torchs_answer(None, UUIDS) == (0, 1, 2, 3)


@pytest.mark.parametrize("value", ["+", "--1", "²"])
def test_what_torchs_own_reading_chokes_on_shows_nothing(monkeypatch, value):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    with pytest.raises(ValueError, match="invalid literal"):
        torch.cuda._parse_visible_devices()

    assert visible_gpus(value, UUIDS) == ()  # as C's strtoul reads it, and so CUDA
