import pytest

from playground.lessons.parameters.counting import Counting, Freezing, Given
from tests.answers import answer_once, assert_answer

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
def test_the_step_changes_what_it_holds_with_a_gradient(pattern, freezing, given, prediction):
    assert_answer(Counting(pattern=pattern, freezing=freezing, given=given), prediction=prediction)


def test_numbers_are_counted_by_hand():
    frozen, trainable = 4 * 8 + 8, 8 * 3 + 3
    sums = {"numbers": frozen + trainable, "bytes": 4 * (frozen + trainable)}

    assert_answer(Counting(), frozen=frozen, trainable=trainable, **sums)


def test_freezing_nothing_or_too_late_is_silent_and_the_latter_has_a_fix_of_one_line():
    assert_answer(Counting(pattern="0", freezing=BEFORE), is_silent=True, frozen=0)
    answer = assert_answer(Counting(), is_silent=True)

    assert answer.fix[1] == f"params = {Given.TRAINABLE}"
    assert_answer(Counting(is_fixed=True), prediction="some")


def test_a_new_last_layer_is_trainable():
    answer = answer_once(Counting(pattern="*", freezing=BEFORE, has_new_head=True))
    assert [name for name, _, _, is_changed in answer.data if is_changed] == ["2.weight", "2.bias"]
