import pytest

from playground.lessons.devices.device_object import DeviceObject
from playground.machines import Machine
from playground.steps import Labels
from tests.answers import answer_once, assert_answer


@pytest.mark.parametrize(
    ("text", "where", "index", "lands_on"),
    [
        ("cpu", "neither", "None", "cpu"),
        ("cuda", "neither", "None", "cuda:0"),
        ("cuda:1", "neither", "1", "cuda:1"),
        ("cuda:7", "tensor", "7", None),
        ("gpu", "object", None, None),
        ("cuda:-1", "object", None, None),
        ("cuda:01", "object", None, None),
        ("cuda:300", "tensor", "44", None),  # 300 - 256
        ("cuda:256", "neither", "0", "cuda:0"),
    ],
)
def test_a_name_is_refused_when_it_is_read_or_when_it_is_used(text, where, index, lands_on):
    assert_answer(DeviceObject(text=text), prediction=where, device_index=index, lands_on=lands_on)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (DeviceObject(text="cuda:256"), {"is_silent": True}),  # it wraps to another GPU
        (DeviceObject(text="cuda:0"), {"is_silent": False}),
        (DeviceObject(), {"error": "AcceleratorError", "says": "invalid device ordinal"}),
        (DeviceObject(text="gpu"), {"says": "Expected one of cpu, cuda,"}),
        (DeviceObject(machine=Machine(gpus=8)), {"lands_on": "cuda:7"}),
    ],
)
def test_a_refusal_is_pytorchs_and_an_index_that_wraps_is_no_success(step, expected):
    assert_answer(step, **expected)


def test_the_object_is_on_no_device():
    step = DeviceObject(text="cuda:1")
    pictures = [step.picture(each, Labels({})) for each in (None, answer_once(step))]

    assert [each.values["places"] for each in pictures] == ["—", "python: device; cuda:1: x"]
