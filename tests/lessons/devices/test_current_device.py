import pytest

from playground.lessons.devices.current_device import Call, CurrentDevice, Position, Way
from playground.machines import Machine
from tests.answers import assert_answer


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize(
    ("call", "device"),
    [
        (Call.CUDA, "cuda:1"),
        (Call.CUDA_0, "cuda:0"),
        (Call.TO_CUDA, "cuda:1"),
        (Call.ONES_CUDA, "cuda:1"),
        (Call.ONES_CUDA_0, "cuda:0"),
        (Call.ONES, "cpu"),
        (Call.RETIRED, "cuda:1"),
    ],
)
def test_the_current_gpu_decides_what_cuda_means_and_nothing_else(way, call, device):
    assert_answer(CurrentDevice(way=way, call=call), prediction=device)


def test_set_device_lasts_and_a_block_ends():
    assert_answer(CurrentDevice(), printed="cuda:1 1\n1 Simulated GPU 1\n", current="cuda:1")
    ended = CurrentDevice(way=Way.BLOCK, position=Position.AFTER)
    printed = "1\ncuda:0 0\n0 Simulated GPU 0\n"
    assert_answer(ended, printed=printed, current="cuda:0", explanation="block-over")


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("gpus", [0, 1])
def test_a_gpu_that_is_not_there_cannot_become_the_current_one(way, gpus):
    step = CurrentDevice(machine=Machine(gpus=gpus), way=way)
    assert_answer(step, prediction="error", explanation="refused", ok=False)
