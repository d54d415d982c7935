import pytest

from playground.lessons.tied_parameters.two_keys import Given, TwoKeys
from tests.answers import assert_answer


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
    assert_answer(TwoKeys(given=given), prediction=prediction, loaded=loaded, is_silent=is_silent)


def test_a_file_holds_shared_memory_once_and_a_missing_key_is_named():
    assert_answer(TwoKeys(given=Given.EQUAL), keys_in_file=4, pieces_in_file=2)
    assert_answer(TwoKeys(given=Given.MISSING), says="2.weight")
    answer = assert_answer(TwoKeys(given=Given.NOT_STRICT))
    assert "missing_keys=['2.weight']" in answer.printed
