import pytest

from playground.lessons.tied_parameters.two_keys import Given, TwoKeys
from tests.answers import answer_once


@pytest.mark.parametrize(
    ("given", "prediction", "loaded", "is_silent"),
    [
        (Given.DIFFERENT, "2", "2", True),
        (Given.REVERSED, "2", "2", True),
        (Given.MISSING, "RuntimeError", "1", False),  # and yet the other key was loaded
        (Given.NOT_STRICT, "1", "1", False),
        (Given.EQUAL, "1", "1", False),
    ],
)
def test_the_last_place_of_the_network_wins(given, prediction, loaded, is_silent):
    answer = answer_once(TwoKeys(given=given))

    assert answer.prediction == prediction
    assert answer.facts["loaded"] == loaded
    assert answer.is_silent_failure is is_silent


def test_a_file_holds_shared_memory_once():
    facts = answer_once(TwoKeys(given=Given.EQUAL)).facts

    assert (facts["keys_in_file"], facts["pieces_in_file"]) == (4, 2)


def test_the_missing_key_is_named():
    assert "2.weight" in answer_once(TwoKeys(given=Given.MISSING)).outcome.message
    assert "missing_keys=['2.weight']" in answer_once(TwoKeys(given=Given.NOT_STRICT)).printed
