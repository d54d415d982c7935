import itertools

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from playground import catalog
from playground.lessons.save_and_load.checkpoint import (
    Checkpoint,
    ModelState,
    Optimizer,
    OptimizerState,
    RandomState,
)
from tests.answers import answer_once, assert_answer


@pytest.mark.parametrize("optimizer", Optimizer)
def test_training_goes_on_bit_for_bit_where_nothing_that_counts_is_left_out(optimizer):
    for model, state, order in itertools.product(ModelState, OptimizerState, RandomState):
        states = {"model_state": model, "optimizer_state": state, "random_state": order}
        has_state = optimizer is not Optimizer.SGD
        is_same = (
            model is ModelState.LOADED
            and order is RandomState.LOADED
            and (state is OptimizerState.LOADED or not has_state)
        )
        step = Checkpoint(optimizer=optimizer, epochs=3, **states)
        assert_answer(step, prediction=str(is_same), is_silent=not is_same, has_fix=not is_same)


def test_the_losses_are_those_of_a_plain_loop():
    torch.manual_seed(0)
    X = torch.randn(64, 2)
    y = X[:, :1] * X[:, 1:]
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    losses = []
    for _ in range(2 + 15):
        order, sums = torch.randperm(64), []
        for start in range(0, 64, 16):
            batch = order[start : start + 16]
            loss = F.mse_loss(net(X[batch]), y[batch])
            net.zero_grad()
            loss.backward()
            with torch.no_grad():
                for each in net.parameters():
                    each -= 0.1 * each.grad
            sums.append(loss.item())
        losses.append(sum(sums) / 4)

    data = answer_once(Checkpoint(optimizer=Optimizer.SGD, epochs=2)).data

    assert [*data.before, *data.uninterrupted] == pytest.approx(losses, rel=1e-5)


def test_the_sentence_on_a_lost_order_names_what_an_exact_repetition_needs():
    step = catalog.lesson("save_and_load").step("checkpoint")
    for language in catalog.Language:
        reported = step.words.explanations["lost-order"].said(language)
        assert "torch.cuda.get_rng_state_all()" in reported
        assert "GradScaler" in reported
