import pytest
import torch
from torch.nn import functional as F

from playground.lessons.blocks.nested import Block, Nested
from playground.lessons.blocks.sequential import Batch, Sequential
from playground.steps import Labels
from tests.answers import answer_once, assert_answer

FEATURES = {  # what each block takes and gives; FixedHiddenMLP gives one number
    Block.NEST_MLP: (20, 16),
    Block.LINEAR: (16, 20),
    Block.FIXED_HIDDEN: (20, None),
}


@pytest.mark.parametrize("batch", Batch)
@pytest.mark.parametrize(("hidden", "expected"), [(256, 256), (8, 8), (256, 8)])
def test_a_linear_layer_replaces_the_last_size(batch, hidden, expected):
    answer = answer_once(Sequential(batch=batch, hidden=hidden, expected=expected, out=3))

    weights = torch.zeros(hidden, 20), torch.zeros(3, expected)
    if batch.sizes[-1] == 20 and hidden == expected:
        H = F.relu(F.linear(torch.zeros(batch.sizes), weights[0]))
        shape = str(tuple(F.linear(H, weights[1]).shape))
        assert answer.prediction == answer.data[-1].shape == shape
        return
    assert answer.prediction == "RuntimeError"
    assert "shapes cannot be multiplied" in answer.outcome.message
    assert [stage.is_failing for stage in answer.data].count(True) == 1


def test_before_the_answer_no_shape_but_the_inputs_is_shown():
    assert Sequential().picture(None, Labels({})).svg.count("(2,") == 1


@pytest.mark.parametrize(
    ("first", "second", "third"), [(a, b, c) for a in Block for b in Block for c in Block]
)
def test_three_blocks_fit_where_each_takes_what_the_one_before_gives(first, second, third):
    step, shape = Nested(first=first, second=second, third=third), "(2, 20)"

    for block in (first, second, third):
        takes, gives = FEATURES[block]
        if shape != f"(2, {takes})":
            assert_answer(step, prediction="RuntimeError", expected=takes, given=shape)
            return
        shape = f"(2, {gives})" if gives else "()"
    assert_answer(step, prediction=shape)


def test_parameters_are_counted_by_the_parts():
    assert_answer(Sequential(), parameters=20 * 256 + 256 + 256 * 10 + 10)
    nest = 20 * 64 + 64 + 64 * 32 + 32 + 32 * 16 + 16
    linear, fixed = 16 * 20 + 20, 20 * 20 + 20

    assert_answer(Nested(), sum=f"{nest} + {linear} + {fixed}", parameters=nest + linear + fixed)
