import pytest

from playground.lessons.lazy_layers.too_early import OPTIMIZERS, Action, TooEarly
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from tests.answers import answer_once

REFUSED = {
    Action.COUNT: "ValueError",
    Action.NORMAL: "ValueError",
    Action.XAVIER: "ValueError",
    Action.FREEZE: "ValueError",
    Action.BFLOAT16: "ValueError",
    Action.LOAD: "UnpicklingError",
    Action.ADAGRAD: "ValueError",
    Action.MUON: "ValueError",
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
    assert answer_once(TooEarly(action=action)).facts["is_held"] is True


def test_a_network_of_the_builder_is_made_lazy():
    spec = Network(
        Block((Layer.of("Linear", in_features=5, out_features=6), Layer.of("ReLU"))),
        InputSpec((3, 5)),
    )
    step = TooEarly(network=to_link(spec))

    assert "nn.LazyLinear(6)" in step.program()
    assert answer_once(step).explanation == "count"
