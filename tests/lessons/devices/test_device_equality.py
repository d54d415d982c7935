import pytest
import torch

from playground.lessons.devices.device_equality import TEXTS, Comparison, DeviceEquality
from playground.machines import Machine
from playground.steps import Labels
from tests.answers import answer_once


@pytest.mark.parametrize("left", TEXTS)
@pytest.mark.parametrize("right", TEXTS)
def test_objects_are_equal_when_type_and_index_are(left, right):
    found = answer_once(DeviceEquality(left=left, right=right))

    assert found.prediction == str(left == right)  # the names are canonical: a simple oracle
    assert found.prediction == str(torch.device(left) == torch.device(right))


def test_cuda_and_cuda_0_are_one_place_and_two_objects():
    found = answer_once(DeviceEquality())

    assert found.facts["x_device"] == found.facts["y_device"] == "cuda:0"
    assert (found.prediction, found.explanation) == ("False", "same-place")
    assert found.is_silent_failure
    assert found.printed == "False\nTrue\n"


def test_with_another_current_gpu_they_are_two_places():
    found = answer_once(DeviceEquality(current=1))

    assert (found.facts["x_device"], found.facts["y_device"]) == ("cuda:1", "cuda:0")
    assert (found.prediction, found.explanation) == ("False", "different")
    assert found.printed == "False\nFalse\n"


def test_a_text_never_equals_an_object():
    found = answer_once(DeviceEquality(left="cpu", right="cpu", comparison=Comparison.TEXT))

    assert (found.prediction, found.explanation) == ("False", "text")
    assert found.is_silent_failure


def test_comparing_needs_no_gpu():
    found = answer_once(DeviceEquality(machine=Machine(gpus=0)))

    assert (found.prediction, found.explanation) == ("False", "not-there")
    assert not found.outcome.ok


def test_the_objects_are_on_no_device():
    picture = DeviceEquality().picture(None, Labels({}))

    assert picture.values["places"] == "python: a, b"
