import math

import pytest

from playground.lessons.initialization.own_rule import OwnRule, Spelling
from tests.answers import answer_once


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
    answer = answer_once(OwnRule(bound=bound, threshold=threshold))
    share = threshold / bound

    assert answer.prediction == prediction
    assert answer.facts["zeros"] == pytest.approx(share, abs=4 * math.sqrt(0.25 / 5120))
    assert answer.facts["expected_zeros"] == share


def test_the_std_is_the_integral_over_what_is_kept():
    expected = math.sqrt((10**3 - 5**3) / (3 * 10))

    facts = answer_once(OwnRule()).facts

    assert facts["expected_std"] == pytest.approx(expected)
    assert facts["std"] == pytest.approx(expected, rel=0.03)


def test_a_leaf_is_not_changed_in_place_and_the_fix_is_its_data():
    answer = answer_once(OwnRule(spelling=Spelling.PLAIN))

    assert answer.prediction == "RuntimeError"
    assert "a leaf Variable that requires grad" in answer.outcome.message
    assert answer.fix is not None
    assert ".data" in answer.fix[1]
