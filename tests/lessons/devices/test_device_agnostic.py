import pytest

from playground.lessons.devices.device_agnostic import DeviceAgnostic, Host, Idiom, Second
from playground.machines import Machine
from tests.answers import answer_once


@pytest.mark.parametrize("idiom", Idiom)
@pytest.mark.parametrize("gpus", [0, 1, 3])
def test_portable_code_runs_on_what_is_there(idiom, gpus):
    step = DeviceAgnostic(machine=Machine(gpus=gpus), idiom=idiom, second=Second.DEVICE)
    found = answer_once(step)

    assert found.facts["result_device"] == ("cuda:0" if gpus else "cpu")
    assert (found.explanation, found.is_silent_failure) == ("portable", False)


@pytest.mark.parametrize(
    ("second", "place", "prediction", "is_silent"),
    [
        (Second.NO_DEVICE, Host.HERE, "error", False),
        (Second.NO_DEVICE, Host.NO_GPU, "works", True),
        (Second.CUDA, Host.FOUR_GPUS, "works", True),
        (Second.CUDA, Host.NO_GPU, "error", False),
    ],
)
def test_a_line_that_forgets_the_device_works_on_one_kind_of_machine_only(
    second, place, prediction, is_silent
):
    found = answer_once(DeviceAgnostic(second=second, place=place))

    assert (found.prediction, found.is_silent_failure) == (prediction, is_silent)
    assert found.fix
    assert found.fix[1] == "Y = torch.ones(3, device=device)"
