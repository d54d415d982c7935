import itertools

import pytest

from playground.lessons.models.loss import Criterion, Loss, Move
from playground.steps.device_map import PYTHON
from tests.answers import answer_once, assert_answer

PLACES = ("cpu", "cuda:0", "cuda:1")


def named(step: Loss) -> str:
    """The argument that is looked at first and is not where the others are."""
    if step.batch != step.model:
        return "mat1"
    if step.labels != step.model:
        return "target"
    came = {Move.NOTHING: "cpu", Move.CUDA: "cuda:0", Move.TO: step.batch}[step.move]
    return "weight" if step.criterion is Criterion.WEIGHTED and came != step.model else "nothing"


@pytest.mark.parametrize("criterion", Criterion)
@pytest.mark.parametrize("move", Move)
@pytest.mark.parametrize(("model", "batch", "labels"), list(itertools.product(PLACES, repeat=3)))
def test_the_first_that_is_elsewhere_is_named(model, batch, labels, move, criterion):
    step = Loss(model=model, batch=batch, labels=labels, move=move, criterion=criterion)

    answer = assert_answer(step, prediction=named(step))
    assert (answer.fix is None) == answer.outcome.ok
    assert_answer(step.replaced(is_fixed=True), ok=True)


def test_a_loss_without_tensors_needs_no_move():
    step, printed = Loss(criterion=Criterion.PLAIN), "cuda:0 {'weight': None}\n"

    plain = assert_answer(step, ok=True, buffer_count=0, printed=printed)
    assert {each.names: each.place for each in plain.data.transitions}["criterion"] == PYTHON


def test_cuda_moves_the_loss_to_the_current_gpu_and_not_to_the_network():
    places = dict.fromkeys(("model", "batch", "labels"), "cuda:1")
    fix = ("criterion.cuda()", "criterion.to(X.device)")

    assert_answer(Loss(move=Move.CUDA, **places), explanation="weight-on-another", fix=fix)


def test_the_network_alone_elsewhere_is_the_one_that_the_fix_moves():
    fix = answer_once(Loss(model="cpu", move=Move.CUDA)).fix
    assert 'nn.Linear(4, 3).to("cuda:0")' in fix[1]
