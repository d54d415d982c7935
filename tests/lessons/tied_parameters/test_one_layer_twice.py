import pytest

from playground.lessons.tied_parameters.one_layer_twice import OneLayerTwice, Place, Second
from tests.answers import answer_once


@pytest.mark.parametrize("place", Place)
@pytest.mark.parametrize("second", Second)
def test_only_the_same_layer_follows(second, place):
    answer = answer_once(OneLayerTwice(second=second, place=place, value=-7))

    is_tied = second is Second.SHARED
    assert answer.prediction == ("new" if is_tied else "old")
    assert answer.printed.startswith("True\n")  # equal before, tied or not
    assert answer.printed.endswith("-7.0\n") == is_tied
    assert answer.facts["is_same_layer"] is is_tied
    assert answer.facts["parameters"] == 40 + 72 * (1 if is_tied else 2) + 9
    assert answer.facts["length"] == 7
    assert answer.facts["modules"] == (6 if is_tied else 7)


def test_the_picture_shows_the_number_in_one_weight_or_in_one_of_two():
    tied = answer_once(OneLayerTwice()).data
    untied = answer_once(OneLayerTwice(second=Second.DEEPCOPY)).data

    assert tied.columns[1] == ("[0, 0] = 100",)
    assert untied.columns[1][0] == "[0, 0] = 100"
    assert len(untied.columns[1]) == 2
    assert untied.columns[1][1] != "[0, 0] = 100"
