import pytest

from playground.lessons.models.optimizer import LOAD, Kind, Move, Optimizer
from tests.answers import answer_once

# By hand, from the documentation of torch.optim: after how many steps there is a state.
STATE_FROM = {Kind.ADAM: 1, Kind.MOMENTUM: 1, Kind.ADAGRAD: 0}


def has_state(kind: Kind, steps: int) -> bool:
    return steps >= STATE_FROM.get(kind, 99)


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_a_move_breaks_what_has_a_state_and_nothing_else(kind, steps):
    answer = answer_once(Optimizer(kind=kind, steps=steps))

    assert answer.facts["is_same"] is True
    assert answer.facts["held_device"] == "cuda:0"
    if has_state(kind, steps):
        assert answer.prediction == "RuntimeError"
        assert str(answer.facts["state_device"]).endswith(": cpu")
        assert answer.fix == ("", LOAD)
    else:
        assert answer.prediction == "trains"


@pytest.mark.parametrize("kind", STATE_FROM)
def test_an_optimizer_brings_its_state_by_loading_it(kind):
    answer = answer_once(Optimizer(kind=kind, steps=2, is_fixed=True))

    assert answer.prediction == "trains"
    assert str(answer.facts["state_device"]).endswith(": cuda:0")


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("steps", [0, 2])
def test_a_new_parameter_is_never_trained(steps, kind):
    step = Optimizer(kind=kind, steps=steps, move=Move.REPLACED)

    answer = answer_once(step)

    assert answer.prediction == "trains_nothing"
    assert answer.is_silent_failure
    assert (answer.facts["is_same"], answer.facts["held_device"]) == (False, "cpu")
    assert answer.printed == "True\n"
    assert answer_once(step.replaced(is_fixed=True)).prediction == "trains"


@pytest.mark.parametrize("kind", Kind)
def test_after_the_move_every_optimizer_works(kind):
    answer = answer_once(Optimizer(kind=kind, is_made_after=True))

    assert answer.prediction == "trains"
    assert (answer.facts["state_device"] is None) == (kind is Kind.SGD)
    assert answer.explanation == ("made-after-without-state" if kind is Kind.SGD else "made-after")


def test_nothing_is_said_of_a_state_that_is_not_there():
    explanations = {
        answer_once(Optimizer(kind=Kind.SGD, steps=steps, is_fixed=fixed)).explanation
        for steps in (0, 3)
        for fixed in (False, True)
    }

    assert not explanations & {"state-brought", "state-left", "state-from-the-start"}


def test_two_names_lead_to_one_object_or_to_two():
    one = answer_once(Optimizer())
    two = answer_once(Optimizer(move=Move.REPLACED))

    labels = {"old": "old Parameter"}
    pictures = [Optimizer().picture(each, labels) for each in (one, two)]
    reported = [str(each.values["arrows"]) for each in pictures if each]
    assert reported[0].startswith("net.weight → Parameter (cuda:0); optimizer → Parameter (cuda:0)")
    assert reported[1] == "net.weight → Parameter (cuda:0); optimizer → old Parameter (cpu)"
