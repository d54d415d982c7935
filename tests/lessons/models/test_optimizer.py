import pytest

from playground.lessons.models.optimizer import LOAD, Kind, Move, Optimizer
from tests.answers import answer_once, assert_answer

# By hand, from the documentation of torch.optim: after how many steps there is a state.
STATE_FROM = {Kind.ADAM: 1, Kind.MOMENTUM: 1, Kind.ADAGRAD: 0, Kind.SGD: 99}


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_a_move_breaks_what_has_a_state_and_nothing_else(kind, steps):
    answer = assert_answer(Optimizer(kind=kind, steps=steps), is_same=True, held_device="cuda:0")

    if steps >= STATE_FROM[kind]:
        assert (answer.prediction, answer.fix) == ("RuntimeError", ("", LOAD))
        assert answer.facts["state_device"].endswith(": cpu")
    else:
        assert answer.prediction == "trains"


@pytest.mark.parametrize("kind", [Kind.ADAM, Kind.MOMENTUM, Kind.ADAGRAD])
def test_an_optimizer_brings_its_state_by_loading_it(kind):
    answer = assert_answer(Optimizer(kind=kind, steps=2, is_fixed=True), prediction="trains")
    assert answer.facts["state_device"].endswith(": cuda:0")


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("steps", [0, 2])
def test_a_new_parameter_is_never_trained(steps, kind):
    step = Optimizer(kind=kind, steps=steps, move=Move.REPLACED)
    known = {"is_same": False, "held_device": "cpu", "printed": "True\n"}

    assert_answer(step, prediction="trains_nothing", is_silent=True, **known)
    assert_answer(step.replaced(is_fixed=True), prediction="trains")


@pytest.mark.parametrize("kind", Kind)
def test_after_the_move_every_optimizer_works(kind):
    said = "made-after-without-state" if kind is Kind.SGD else "made-after"
    step = Optimizer(kind=kind, is_made_after=True)

    answer = assert_answer(step, prediction="trains", explanation=said)
    assert (answer.facts["state_device"] is None) == (kind is Kind.SGD)


@pytest.mark.parametrize("steps", [0, 3])
@pytest.mark.parametrize("is_fixed", [False, True])
def test_nothing_is_said_of_a_state_that_is_not_there(steps, is_fixed):
    said = answer_once(Optimizer(kind=Kind.SGD, steps=steps, is_fixed=is_fixed)).explanation
    assert said not in {"state-brought", "state-left", "state-from-the-start"}


def test_two_names_lead_to_one_object_or_to_two():
    answers = [answer_once(Optimizer(move=move)) for move in (Optimizer().move, Move.REPLACED)]

    pictures = [Optimizer().picture(each, {"old": "old Parameter"}) for each in answers]
    reported = [each.values["arrows"] for each in pictures]
    assert reported[0].startswith("net.weight → Parameter (cuda:0); optimizer → Parameter (cuda:0)")
    assert reported[1] == "net.weight → Parameter (cuda:0); optimizer → old Parameter (cpu)"
