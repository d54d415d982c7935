import pytest

from playground.lessons.lazy_layers.too_early import OPTIMIZERS, Action, TooEarly
from playground.modules.spec import Layer
from tests.answers import answer_once, assert_answer
from tests.lessons.blocks.misfits import linear
from tests.lessons.steps import visitors

REFUSED = {
    **dict.fromkeys((Action.COUNT, Action.NORMAL, Action.XAVIER, Action.FREEZE), "ValueError"),
    **dict.fromkeys((Action.BFLOAT16, Action.ADAGRAD, Action.MUON), "ValueError"),
    Action.LOAD: "UnpicklingError",
}


@pytest.mark.parametrize("action", Action)
def test_what_is_too_early_works_after_the_first_batch(action):
    answer = answer_once(TooEarly(action=action))
    after = answer_once(TooEarly(action=action, is_fixed=True))

    assert answer.prediction == REFUSED.get(action, "works"), answer.outcome
    assert after.outcome.ok == (action is not Action.MUON)  # the biases are no matrices
    assert (answer.fix is not None) == (action in REFUSED and after.outcome.ok)


@pytest.mark.parametrize("action", [each for each in OPTIMIZERS if each not in REFUSED])
def test_the_objects_stay_the_same(action):
    assert_answer(TooEarly(action=action), is_held=True)


def test_a_network_of_the_builder_is_made_lazy():
    step = TooEarly(network=visitors(linear(5, 6), Layer("ReLU")))

    assert "nn.LazyLinear(6)" in step.program()
    assert_answer(step, explanation="count")
