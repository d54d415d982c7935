"""Devices of loaded tensors, by hand from the documentation of ``torch.load``."""

import io

import pytest
import torch

from playground.lessons.save_and_load.map_location import Argument, MapLocation
from playground.machines.simulated import simulated_gpus
from playground.steps import WriteFile
from tests.answers import answer, answer_once, assert_answer


def expected_device(source: str, gpus: int, argument: Argument) -> str | None:
    target = {
        Argument.NONE: source,
        Argument.CPU: "cpu",
        Argument.CUDA: "cuda:0",
        Argument.BY_NAME: {"cuda:0": "cpu"}.get(source, source),
        Argument.FUNCTION: "cpu",
    }[argument]
    return target if target == "cpu" or int(target[-1]) < gpus else None


@pytest.mark.parametrize("argument", Argument)
@pytest.mark.parametrize("source", ["cuda:0", "cuda:1", "cpu"])
@pytest.mark.parametrize("gpus", [0, 1, 2])
def test_tensors_arrive_where_the_file_or_the_argument_says(source, gpus, argument):
    step = MapLocation(source=source, gpu_count=gpus, argument=argument)
    device = expected_device(source, gpus, argument)

    error = "" if device else "RuntimeError"
    found = assert_answer(step, tag=source, loaded_on=device, error=error)
    if device is None:
        assert 'map_location="cpu"' in found.fix[1]
    else:
        assert found.printed == f"{device}\n"


def test_lines_of_the_second_half_keep_their_numbers():
    step = MapLocation(argument=Argument.CPU)
    program = step.program().splitlines()

    for line in answer_once(step).lines:
        assert bool(line.printed) == program[line.number - 1].startswith("print(")
    assert answer_once(MapLocation()).stopped_at == step.asked_line()


def test_the_file_carries_the_device_where_it_was_saved():
    step = MapLocation(source="cuda:1")
    made = answer(WriteFile(of=step, file_name="mlp.params"))

    with simulated_gpus(2):
        assert str(torch.load(io.BytesIO(made.data))["0.weight"].device) == "cuda:1"
