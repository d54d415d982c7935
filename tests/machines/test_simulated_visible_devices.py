"""CUDA_VISIBLE_DEVICES on simulated machines, against torch's own pure-Python parser."""

import os

import pytest
import torch

from playground.machines.simulated import simulated_gpus
from playground.machines.simulated.host import read_visible_gpus
from playground.machines.visible_devices import simulated_uuids

VARIABLE = "CUDA_VISIBLE_DEVICES"
VALUES = [
    "0",
    "1",
    "1,0",
    "0,1,2",
    "",
    "-1",
    "0,-1,1",
    "0,0",
    "none",
    "2",
    "1gpu",
    " 1",
    "0,x",
    "7,0",
]


def by_torch(count: int) -> list[int]:
    """The result of _device_count_nvml with the parsed list, for a host of so many GPUs."""
    parsed = torch.cuda._parse_visible_devices()
    beyond = [position for position, value in enumerate(parsed) if value >= count]
    return parsed[: beyond[0]] if beyond else parsed


@pytest.mark.parametrize("value", VALUES)
def test_the_visible_gpus_are_those_that_torch_counts(value):
    with simulated_gpus(2):
        os.environ[VARIABLE] = value
        expected = by_torch(2)
        assert list(read_visible_gpus(2)) == expected
        assert torch.cuda.device_count() == len(expected)
        assert torch.cuda.is_available() == bool(expected)


def test_the_visible_gpus_keep_their_physical_names():
    with simulated_gpus(3):
        os.environ[VARIABLE] = "2,0"
        assert [torch.cuda.get_device_name(i) for i in (0, 1)] == [
            "Simulated GPU 2",
            "Simulated GPU 0",
        ]


def test_gpus_can_be_named_by_the_start_of_their_uuid():
    with simulated_gpus(2):
        os.environ[VARIABLE] = simulated_uuids(2)[1]
        assert read_visible_gpus(2) == (1,)
        os.environ[VARIABLE] = "GPU-51b0"  # both begin so: ambiguous, as torch decides
        assert read_visible_gpus(2) == ()


def test_memory_belongs_to_the_physical_gpu():
    with simulated_gpus(2):
        os.environ[VARIABLE] = "1"
        x = torch.ones(2, device="cuda:0")
        assert str(x.device) == "cuda:0"
        assert torch.cuda.memory_allocated(0) == 512


def test_once_cuda_has_started_the_variable_is_not_read_again():
    with simulated_gpus(2):
        torch.ones(1, device="cuda")
        os.environ[VARIABLE] = ""
        assert str(torch.ones(1, device="cuda:1").device) == "cuda:1"
