import pytest

from playground.lessons.tensors.default_device import DefaultDevice
from playground.steps import Labels
from tests.answers import assert_answer


@pytest.mark.parametrize(
    ("device", "printed"),
    [
        ("cpu", "tensor([1., 2., 3.])"),
        ("cuda:0", "tensor([1., 2., 3.], device='cuda:0')"),
        ("cuda:1", "tensor([1., 2., 3.], device='cuda:1')"),
    ],
)
def test_print_names_a_device_only_off_the_cpu(device, printed):
    step = DefaultDevice(device=device)
    lines = f"{printed}\ncpu {device}\nFalse {device != 'cpu'}\n"

    assert_answer(step, prediction=printed, printed=lines)
    assert printed in step.choices(("cpu", "cuda:0", "cuda:1"))


def test_the_place_of_x_is_not_drawn_before_the_answer():
    picture = DefaultDevice(device="cuda:1").picture(None, Labels({}))
    assert picture.values["places"] == "cuda:1: y"
