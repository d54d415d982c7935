import pytest

from playground.lessons.tied_parameters.broken_ties import Action, BrokenTies, TiedBy
from tests.answers import assert_answer

ONE, HALF, APART = "one_object", "one_storage", "apart"
LEFT = {  # tied by one Parameter, by one storage; by one module everything is kept
    Action.LOAD_ASSIGN: (HALF, HALF),
    Action.SAVE_LOAD: (ONE, HALF),
    Action.ASSIGN_COPIES: (APART, APART),
    Action.LOAD_AFTER_ASSIGN: (HALF, HALF),
    Action.DEEPCOPY: (ONE, APART),
    Action.TO_DTYPE: (ONE, APART),
    Action.HALF: (ONE, APART),
    Action.TO_DEVICE: (ONE, APART),
    Action.TO_META: (APART, APART),
    Action.TO_EMPTY: (ONE, APART),
    Action.META_TO_EMPTY: (APART, APART),
    Action.STEP: (ONE, HALF),
}


@pytest.mark.parametrize("action", Action)
def test_what_is_left_of_each_tie(action):
    by_parameter, by_storage = LEFT[action]
    expected = {TiedBy.PARAMETER: by_parameter, TiedBy.STORAGE: by_storage, TiedBy.MODULE: ONE}

    for tied_by, left in expected.items():
        is_broken = left != (HALF if tied_by is TiedBy.STORAGE else ONE)
        step = BrokenTies(tied_by=tied_by, action=action)
        assert_answer(step, prediction=left, is_silent=is_broken, has_fix=is_broken)


def test_a_tie_is_made_again():
    assert_answer(BrokenTies(is_fixed=True), prediction=ONE, tensors=3)


def test_values_after_to_empty_are_not_said_to_be_kept():
    """New memory is not filled, whatever becomes of the tie."""
    step = BrokenTies(tied_by=TiedBy.PARAMETER, action=Action.TO_EMPTY)

    assert_answer(step, explanation="same-object-emptied")
    assert_answer(step.replaced(tied_by=TiedBy.STORAGE), explanation="each-emptied")
