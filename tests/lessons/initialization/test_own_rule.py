import math

import pytest

from playground.lessons.initialization.own_rule import OwnRule, Spelling
from tests.answers import assert_answer


@pytest.mark.parametrize(
    ("bound", "threshold", "prediction"),
    [
        (10, 5, "half"),
        (10, 2.5, "quarter"),
        (8, 6, "three_quarters"),
        (5, 5, "all"),
        (9, 0, "none"),
    ],
)
def test_the_share_of_zeros_is_the_threshold_over_the_bound(bound, threshold, prediction):
    step, share = OwnRule(bound=bound, threshold=threshold), threshold / bound
    zeros = pytest.approx(share, abs=4 * math.sqrt(0.25 / 5120))

    assert_answer(step, prediction=prediction, zeros=zeros, expected_zeros=share)


def test_the_std_is_the_integral_over_what_is_kept():
    std = math.sqrt((10**3 - 5**3) / (3 * 10))
    assert_answer(OwnRule(), expected_std=pytest.approx(std), std=pytest.approx(std, rel=0.03))


def test_a_leaf_is_not_changed_in_place_and_the_fix_is_its_data():
    step, says = OwnRule(spelling=Spelling.PLAIN), "a leaf Variable that requires grad"

    answer = assert_answer(step, prediction="RuntimeError", says=says)
    assert ".data" in answer.fix[1]
