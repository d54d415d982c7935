import math

import pytest
import torch
from torch import nn

from playground.lessons.initialization.microscope import Initializer, Microscope, Mode, Shape
from tests.answers import answer_once, assert_answer

FILLS = {  # the same calls, spelled out
    Initializer.UNIFORM_: lambda w: nn.init.uniform_(w, -1, 1),
    Initializer.NORMAL_: lambda w: nn.init.normal_(w, std=0.01),
    Initializer.TRUNC_NORMAL_: nn.init.trunc_normal_,
    Initializer.XAVIER_UNIFORM_: nn.init.xavier_uniform_,
    Initializer.XAVIER_NORMAL_: nn.init.xavier_normal_,
    Initializer.KAIMING_UNIFORM_: lambda w: nn.init.kaiming_uniform_(w, nonlinearity="relu"),
    Initializer.KAIMING_NORMAL_: lambda w: nn.init.kaiming_normal_(w, nonlinearity="relu"),
    Initializer.ORTHOGONAL_: nn.init.orthogonal_,
}


def std_of(fill: object, shape: tuple[int, ...]) -> float:
    torch.manual_seed(1)
    return fill(torch.empty(shape)).std().item()  # type: ignore[operator, no-any-return]


@pytest.mark.parametrize("initializer", FILLS)
def test_the_sizes_that_decide_are_those_whose_change_changes_the_std(initializer):
    fill = FILLS[initializer]
    base, inputs, outputs = (std_of(fill, each) for each in ((512, 64), (512, 256), (2048, 64)))
    changes = (abs(inputs / base - 1) > 0.05, abs(outputs / base - 1) > 0.05)

    prediction = answer_once(Microscope(initializer=initializer)).prediction

    expected = {"none": (False, False), "inputs": (True, False), "both": (True, True)}
    assert changes == expected.get(prediction, (False, True))  # longer: the outputs, here
    assert prediction == "longer" or prediction in expected


@pytest.mark.parametrize(
    ("step", "std"),
    [
        (Microscope(), math.sqrt(2 / 276)),
        (Microscope(gain=2.0), 2 * math.sqrt(2 / 276)),
        (Microscope(initializer=Initializer.KAIMING_NORMAL_), math.sqrt(2 / 20)),
        (Microscope(initializer=Initializer.KAIMING_UNIFORM_, mode=Mode.FAN_OUT), 1 / 128**0.5),
        (Microscope(initializer=Initializer.KAIMING_NORMAL_, shape=Shape.KERNEL), (2 / 27) ** 0.5),
        (Microscope(initializer=Initializer.UNIFORM_), 1 / math.sqrt(3)),
        (Microscope(initializer=Initializer.SPARSE_, sparsity=0.5), 0.01 * math.sqrt(0.5)),
        (Microscope(initializer=Initializer.EYE_), math.sqrt(20 * 5100) / 5120),
        (Microscope(initializer=Initializer.ORTHOGONAL_), 1 / 16),
    ],
)
def test_expected_moments_are_the_closed_forms(step, std):
    mean = 20 / 5120 if step.initializer is Initializer.EYE_ else 0.0

    assert_answer(
        step,
        expected_std=pytest.approx(std),
        std=pytest.approx(std, rel=0.05),
        expected_mean=pytest.approx(mean),
        mean=pytest.approx(mean, abs=4 * std / math.sqrt(5120)),
    )


def test_a_vector_has_no_fan():
    answer = assert_answer(Microscope(shape=Shape.VECTOR), prediction="ValueError")
    assert answer.outcome.message.startswith("Fan in and fan out can not be computed")
