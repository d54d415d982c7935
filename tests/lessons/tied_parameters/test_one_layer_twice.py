import pytest

from playground.lessons.tied_parameters.one_layer_twice import OneLayerTwice, Place, Second
from tests.answers import answer_once, assert_answer


@pytest.mark.parametrize("place", Place)
@pytest.mark.parametrize("second", Second)
def test_only_the_same_layer_follows(second, place):
    is_tied = second is Second.SHARED
    answer = assert_answer(
        OneLayerTwice(second=second, place=place, value=-7),
        prediction="new" if is_tied else "old",
        is_same_layer=is_tied,
        parameters=40 + 72 * (1 if is_tied else 2) + 9,
        length=7,
        modules=6 if is_tied else 7,
    )

    assert answer.printed.startswith("True\n")  # equal before, tied or not
    assert answer.printed.endswith("-7.0\n") == is_tied


def test_the_picture_shows_the_number_in_one_weight_or_in_one_of_two():
    number = "[0, 0] = 100"

    assert answer_once(OneLayerTwice()).data.columns[1] == (number,)
    changed, kept = answer_once(OneLayerTwice(second=Second.DEEPCOPY)).data.columns[1]
    assert changed == number != kept
