import pytest

from playground.lessons.training.take_devices import TakeDevices
from playground.machines import Machine
from tests.answers import answer_once


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
    answer = answer_once(TakeDevices(machine=Machine(gpus=gpus), num_gpus=wanted))

    assert (answer.facts["gpus"], answer.prediction) == (taken, device)
    assert answer.is_silent_failure == (device == "cpu" and wanted != 0)
