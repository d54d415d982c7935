import pytest

from playground.lessons.devices.device_agnostic import DeviceAgnostic, Host, Idiom, Second
from playground.machines import Machine
from tests.answers import assert_answer


@pytest.mark.parametrize("idiom", Idiom)
@pytest.mark.parametrize("gpus", [0, 1, 3])
def test_portable_code_runs_on_what_is_there(idiom, gpus):
    step = DeviceAgnostic(machine=Machine(gpus=gpus), idiom=idiom, second=Second.DEVICE)
    place = "cuda:0" if gpus else "cpu"

    assert_answer(step, result_device=place, explanation="portable", is_silent=False)


@pytest.mark.parametrize(
    ("second", "place", "prediction", "is_silent"),
    [
        (Second.NO_DEVICE, Host.HERE, "error", False),
        (Second.NO_DEVICE, Host.NO_GPU, "works", True),
        (Second.CUDA, Host.FOUR_GPUS, "works", True),
        (Second.CUDA, Host.NO_GPU, "error", False),
    ],
)
def test_a_line_without_the_device_is_not_portable(second, place, prediction, is_silent):
    step = DeviceAgnostic(second=second, place=place)

    found = assert_answer(step, prediction=prediction, is_silent=is_silent, has_fix=True)
    assert found.fix[1] == "Y = torch.ones(3, device=device)"
