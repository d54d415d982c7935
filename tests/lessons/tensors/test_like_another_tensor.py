import pytest

from playground.lessons.tensors.like_another_tensor import Alike, DataType, LikeAnotherTensor
from tests.answers import answer_once, assert_answer

MODELLED = [Alike.NEW_TENSOR, Alike.NEW_ZEROS, Alike.NEW_FULL, Alike.ZEROS_LIKE, Alike.ONES_LIKE]


@pytest.mark.parametrize("device", ["cpu", "cuda:0", "cuda:1"])
@pytest.mark.parametrize("dtype", DataType)
@pytest.mark.parametrize("alike", MODELLED)
def test_device_and_dtype_come_from_the_model(device, dtype, alike):
    step = LikeAnotherTensor(device=device, dtype=dtype, alike=alike)
    assert answer_once(step).facts == {"y_dtype": dtype.value, "y_device": device}


@pytest.mark.parametrize(
    ("alike", "printed"),
    [
        (Alike.PLAIN, "torch.float32 cpu\n"),
        (Alike.OWN_DTYPE, "torch.int32 cuda:1\n"),
        (Alike.OWN_DEVICE, "torch.float64 cpu\n"),
    ],
)
def test_what_is_stated_wins_and_a_plain_call_takes_defaults(alike, printed):
    assert_answer(LikeAnotherTensor(device="cuda:1", alike=alike), printed=printed)


def test_random_integers_between_0_and_1_are_refused():
    step = LikeAnotherTensor(alike=Alike.RAND_LIKE, dtype=DataType.INT64)
    assert_answer(step, prediction="NotImplementedError", explanation="random-needs-floats")


def test_the_dtype_stands_below_each_tensor():
    drawn = answer_once(LikeAnotherTensor(alike=Alike.OWN_DTYPE)).data
    assert {each.label: each.caption for each in drawn.items} == {"x": "float64", "y": "int32"}
