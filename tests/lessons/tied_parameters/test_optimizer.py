import pytest

from playground.lessons.tied_parameters.optimizer import Given, Optimizer
from tests.answers import assert_answer


@pytest.mark.parametrize(
    ("given", "prediction", "entries"),
    [
        (Given.PARAMETERS, "1", 2),
        (Given.LAYER_BY_LAYER, "2", 4),
        (Given.EVERY_NAME, "2", 4),
        (Given.TWO_GROUPS, "ValueError", None),
    ],
)
@pytest.mark.parametrize("seed", [0, 7, 9999])
def test_each_entry_is_stepped(given, prediction, entries, seed):
    step = Optimizer(given=given, seed=seed)

    answer = assert_answer(step, prediction=prediction, is_silent=prediction == "2")
    assert answer.facts.get("entries") == entries
    assert any(line.warnings for line in answer.lines) == (prediction == "2")
    if prediction != "1":
        assert answer.fix[1] == "params = net.parameters()"
