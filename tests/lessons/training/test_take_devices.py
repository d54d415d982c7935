import pytest

from playground.lessons.training.take_devices import TakeDevices
from playground.machines import Machine
from tests.answers import assert_answer


@pytest.mark.parametrize(
    ("gpus", "wanted", "taken", "device"),
    [
        (2, 4, "cuda:0, cuda:1", "cuda:0"),
        (2, 1, "cuda:0", "cuda:0"),
        (2, 0, "[]", "cpu"),
        (2, -1, "[]", "cpu"),
        (0, 3, "[]", "cpu"),
    ],
)
def test_it_takes_what_is_there_and_uses_the_first(gpus, wanted, taken, device):
    step = TakeDevices(machine=Machine(gpus=gpus), num_gpus=wanted)
    assert_answer(step, gpus=taken, prediction=device, is_silent=device == "cpu" and wanted != 0)
