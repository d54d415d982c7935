"""The ledger of a move: a module of the catalogue, and an optimizer with its network."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.autograd import backward

from playground.compute.outcome import Outcome, attempt
from playground.lessons.models.experiment.catalogue import build
from playground.lessons.models.experiment.placing import all_devices
from playground.lessons.models.records import (
    CatalogueModule,
    Moment,
    MoveModel,
    MoveModelReport,
    MoveWithOptimizer,
    MoveWithOptimizerReport,
    OptimizerName,
    Remedy,
    Way,
)
from playground.machines import DeviceName
from playground.machines.host import running_on
from playground.modules.ledger import MovedRow, ledger


@dataclass(frozen=True, slots=True)
class Moved:
    """What came of a move, and of what was computed after it."""

    rows: tuple[MovedRow, ...]
    result: torch.Tensor | None
    outcome: Outcome


def move_model(settings: MoveModel) -> MoveModelReport:
    """Move a module and use it; where it has a fault, do the same with the mended one."""
    module, device = settings.module, settings.device
    with running_on(settings.machine):
        moved = _move(module, device, is_mended=False)
        mended = None
        if (module.is_mended_inside or module.is_mended_outside) and device in all_devices():
            mended = _move(module, device, is_mended=True)
        return MoveModelReport(
            outcome=moved.outcome,
            devices=all_devices(),
            is_simulated=settings.machine.is_simulated,
            module=module,
            device=device,
            rows=moved.rows,
            result_device=None if moved.result is None else str(moved.result.device),
            result_values=_values(moved.result),
            fixed_rows=() if mended is None else mended.rows,
            fixed_outcome=None if mended is None else mended.outcome,
            fixed_values=None if mended is None else _values(mended.result),
        )


def _values(result: torch.Tensor | None) -> str | None:
    return None if result is None else str(result.tolist())


def _move(module: CatalogueModule, device: DeviceName, is_mended: bool) -> Moved:
    torch.manual_seed(0)
    net = build(module.repaired_class_name if is_mended else module.class_name)
    criterion, optimizer = None, None
    if module == CatalogueModule.LOSS:
        criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0]))
    if module == CatalogueModule.OPTIMIZER:
        optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        backward(net(torch.ones(2, 4)).sum())
        optimizer.step()
    before = ledger(net, loss=criterion, optimizer=optimizer)
    _, outcome = attempt(lambda: net.to(device))
    if outcome.ok and is_mended and criterion is not None:
        criterion.to(device)
    if outcome.ok and is_mended and optimizer is not None:
        optimizer.load_state_dict(optimizer.state_dict())
    after = ledger(net, loss=criterion, optimizer=optimizer)
    rows = before.compared_with(after)
    if not outcome.ok:
        return Moved(rows, None, outcome)
    result, outcome = attempt(lambda: _use(net, criterion, optimizer, device))
    used = after.compared_with(ledger(net, loss=criterion, optimizer=optimizer))
    made = tuple(row for row in used if row.device_before is None)  # only with the first batch
    return Moved(rows + made, result, outcome)


def _use(
    net: nn.Module,
    criterion: nn.Module | None,
    optimizer: torch.optim.Optimizer | None,
    device: DeviceName,
) -> torch.Tensor:
    """What the line after the move does: the network alone, into a loss, or a training step."""
    result: torch.Tensor = net(torch.ones(2, 4, device=device))
    if criterion is not None:
        loss: torch.Tensor = criterion(result, torch.tensor([0, 2], device=device))
        return loss
    if optimizer is not None:
        optimizer.zero_grad()
        backward(result.sum())
        optimizer.step()
    return result


def move_with_optimizer(settings: MoveWithOptimizer) -> MoveWithOptimizerReport:
    """Make an optimizer before or after the move, then see whether a step trains the network."""
    with running_on(settings.machine):
        torch.manual_seed(0)
        net = nn.Linear(4, 3)
        weight = net.weight
        optimizer = None
        if settings.moment == Moment.BEFORE:
            optimizer = _make(settings.optimizer, net)
            for _ in range(settings.steps):
                _step(net, optimizer, "cpu")
        before = ledger(net, optimizer=optimizer)
        _, outcome = attempt(lambda: _transfer(net, settings))
        has_trained = None
        if outcome.ok:
            if optimizer is None:
                optimizer = _make(settings.optimizer, net)
            elif settings.remedy == Remedy.LOAD:
                optimizer.load_state_dict(optimizer.state_dict())
        rows = before.compared_with(ledger(net, optimizer=optimizer))
        if outcome.ok and optimizer is not None:
            old = net.weight.detach().clone()
            chosen = optimizer
            _, outcome = attempt(lambda: _step(net, chosen, settings.target))
            has_trained = not torch.equal(old, net.weight) if outcome.ok else None
        held = [] if optimizer is None else optimizer.param_groups[0]["params"]
        return MoveWithOptimizerReport(
            outcome=outcome,
            devices=all_devices(),
            is_simulated=settings.machine.is_simulated,
            optimizer=settings.optimizer,
            moment=settings.moment,
            way=settings.way,
            remedy=settings.remedy,
            target=settings.target,
            steps=settings.steps,
            is_same_parameter=net.weight is weight,
            holds_parameter=any(each is net.weight for each in held),
            has_trained=has_trained,
            rows=rows,
        )


def _transfer(net: nn.Linear, settings: MoveWithOptimizer) -> None:
    if settings.moment == Moment.BEFORE and settings.way == Way.REPLACED:
        net.weight = nn.Parameter(net.weight.detach().to(settings.target))
        net.bias = nn.Parameter(net.bias.detach().to(settings.target))
    else:
        net.to(settings.target)


def _make(name: OptimizerName, net: nn.Module) -> torch.optim.Optimizer:
    match name:
        case OptimizerName.ADAM:
            return torch.optim.Adam(net.parameters(), lr=0.1)
        case OptimizerName.SGD:
            return torch.optim.SGD(net.parameters(), lr=0.1)
        case OptimizerName.MOMENTUM:
            return torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        case OptimizerName.RMSPROP:
            return torch.optim.RMSprop(net.parameters(), lr=0.1)
        case OptimizerName.ADAGRAD:
            return torch.optim.Adagrad(net.parameters(), lr=0.1)


def _step(net: nn.Module, optimizer: torch.optim.Optimizer, device: DeviceName) -> None:
    optimizer.zero_grad()
    backward(net(torch.ones(2, 4, device=device)).sum())
    optimizer.step()
