"""Tensors of a loss and of an optimizer, which a move of the module leaves behind."""

import pytest
import torch
from torch import nn

from playground.modules.inventory_types import Kind, Reason
from playground.modules.tensor_inventory import take_inventory
from tests.modules.zoo import everything_behind, mlp, moved


def test_a_loss_of_its_own_keeps_its_weights_behind():
    net, loss = mlp(), nn.CrossEntropyLoss(weight=torch.ones(3))

    row = moved(net, loss=loss)[-1]

    assert (row.path, row.kind, row.reason) == ("loss.weight", Kind.LOSS_BUFFER, Reason.IN_LOSS)
    assert (row.device_before, row.device_after) == ("cpu", "cpu")
    assert row.is_registered
    assert row.in_state_dict  # of the loss


def test_a_loss_inside_the_module_moves_with_it():
    net = mlp()
    net.loss = nn.CrossEntropyLoss(weight=torch.ones(3))
    row = take_inventory(net, loss=net.loss).at("loss.weight")

    assert (row.kind, row.paths) == (Kind.BUFFER, ("loss.weight",))


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda p: torch.optim.SGD(p, lr=0.1), set()),
        (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), {"momentum_buffer"}),
        (lambda p: torch.optim.Adam(p, lr=0.1), {"step", "exp_avg", "exp_avg_sq"}),
        (lambda p: torch.optim.Adagrad(p, lr=0.1), {"step", "sum"}),
        (lambda p: torch.optim.LBFGS(p), None),
    ],
)
def test_the_optimizers_state_is_listed_by_its_parameters_and_stays(make, names):
    net = nn.Linear(2, 1)
    optimizer = make(net.parameters())

    def closure():
        optimizer.zero_grad()
        loss = net(torch.ones(3, 2)).square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)

    rows = moved(net, optimizer=optimizer)

    state = [row for row in rows if row.kind == Kind.OPTIMIZER_STATE]
    kept = everything_behind(dict(optimizer.state)).keys() - {id(p) for p in net.parameters()}
    assert len(state) == len(kept)
    assert {row.device_after for row in state} <= {"cpu"}
    assert not any(row.is_registered for row in state)
    if names is not None:
        expected = {f"optimizer.state['{p}']['{n}']" for p in ("weight", "bias") for n in names}
        assert {row.path for row in state} == expected
    counts = {row.path for row in state if row.reason == Reason.STEP_COUNT}
    assert counts == {row.path for row in state if row.path.endswith("['step']")}


def test_the_optimizer_is_another_way_to_each_parameter():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    row = take_inventory(net, optimizer=optimizer).at("weight")

    assert row.paths == ("weight", "optimizer.param_groups[0]['params'][0]")
    assert row.is_registered


def test_parameters_that_only_the_optimizer_still_has_are_reported():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.weight = nn.Parameter(torch.zeros(1, 2))

    rows = take_inventory(net, optimizer=optimizer)

    lost = rows.at("optimizer.param_groups[0]['params'][0]")
    assert (lost.kind, lost.reason) == (Kind.PARAMETER, Reason.ONLY_IN_OPTIMIZER)
    assert not lost.is_registered
    assert rows.at("weight").paths == ("weight",)
