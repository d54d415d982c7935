import pytest
import torch

from playground.lessons.devices.device_equality import TEXTS, Comparison, DeviceEquality
from playground.machines import Machine
from playground.steps import Labels
from tests.answers import answer_once, assert_answer


@pytest.mark.parametrize("left", TEXTS)
@pytest.mark.parametrize("right", TEXTS)
def test_objects_are_equal_when_type_and_index_are(left, right):
    found = answer_once(DeviceEquality(left=left, right=right))

    assert found.prediction == str(left == right)  # the names are canonical: a simple oracle
    assert found.prediction == str(torch.device(left) == torch.device(right))


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            DeviceEquality(),
            {"x_device": "cuda:0", "y_device": "cuda:0", "explanation": "same-place"}
            | {"printed": "False\nTrue\n", "is_silent": True},
        ),
        (
            DeviceEquality(current=1),
            {"x_device": "cuda:1", "y_device": "cuda:0", "explanation": "different"}
            | {"printed": "False\nFalse\n"},
        ),
        (
            DeviceEquality(left="cpu", right="cpu", comparison=Comparison.TEXT),
            {"explanation": "text", "is_silent": True},
        ),
        (DeviceEquality(machine=Machine(gpus=0)), {"explanation": "not-there", "ok": False}),
    ],
)
def test_objects_differ_where_their_texts_do_wherever_tensors_are(step, expected):
    assert_answer(step, prediction="False", **expected)


def test_the_objects_are_on_no_device():
    assert DeviceEquality().picture(None, Labels({})).values["places"] == "python: a, b"
