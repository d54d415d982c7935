import pytest

from playground.lessons.parameters.counting import Counting, Freezing, Given
from tests.answers import answer_once

BEFORE, AFTER = Freezing.BEFORE_BACKWARD, Freezing.AFTER_BACKWARD


@pytest.mark.parametrize(
    ("pattern", "freezing", "given", "prediction"),
    [
        ("0.*", BEFORE, Given.ALL, "some"),
        ("0.*", AFTER, Given.ALL, "all"),
        ("0.*", AFTER, Given.TRAINABLE, "some"),
        ("0", BEFORE, Given.ALL, "all"),
        ("", BEFORE, Given.TRAINABLE, "all"),
        ("*", BEFORE, Given.ALL, "RuntimeError"),
        ("*", AFTER, Given.ALL, "all"),
        ("*", AFTER, Given.TRAINABLE, "ValueError"),
        ("[", BEFORE, Given.ALL, "all"),
    ],
)
def test_the_step_changes_what_it_holds_and_what_has_a_gradient(
    pattern, freezing, given, prediction
):
    step = Counting(pattern=pattern, freezing=freezing, given=given)

    assert answer_once(step).prediction == prediction


def test_numbers_are_counted_by_hand():
    facts = answer_once(Counting()).facts

    assert facts["numbers"] == 4 * 8 + 8 + 8 * 3 + 3
    assert facts["frozen"] == 4 * 8 + 8
    assert facts["trainable"] == 8 * 3 + 3
    assert facts["bytes"] == 4 * facts["numbers"]


def test_a_pattern_without_a_match_is_a_silent_failure():
    answer = answer_once(Counting(pattern="0", freezing=BEFORE))

    assert answer.is_silent_failure
    assert answer.facts["frozen"] == 0


def test_freezing_too_late_has_a_fix_of_one_line():
    answer = answer_once(Counting())

    assert answer.is_silent_failure
    assert answer.fix is not None
    assert answer.fix[1] == f"params = {Given.TRAINABLE}"
    assert answer_once(Counting(is_fixed=True)).prediction == "some"


def test_a_new_last_layer_is_trainable():
    step = Counting(pattern="*", freezing=BEFORE, has_new_head=True)
    answer = answer_once(step)

    assert [name for name, _, _, is_changed in answer.data if is_changed] == ["2.weight", "2.bias"]
