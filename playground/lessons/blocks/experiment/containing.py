"""A Sequential of one's own, with its layers registered or in a Python list."""

import torch
from torch import nn

from playground.compute.outcome import Outcome, attempt
from playground.lessons.blocks.experiment.trees import rows_of
from playground.lessons.blocks.records import (
    Container,
    Use,
    UseMySequential,
    UseMySequentialReport,
)
from playground.machines import device_names
from playground.machines.host import running_on
from playground.modules.custom.my_sequential import MySequential
from playground.modules.custom.my_sequential_with_list import MySequentialWithList
from playground.modules.ledger import Kind, ledger


def use_my_sequential(settings: UseMySequential) -> UseMySequentialReport:
    """Make the block and use it; where it fails, do the same with the layers registered.

    Shape:
        X: (2, 20); output: (2, 10).
    """
    with running_on(settings.machine):
        has_device = settings.device in device_names(torch.cuda.device_count())
        net = _make(settings.container)
        y, outcome = attempt(lambda: _use(net, settings))
        fixed: Outcome | None = None
        if not outcome.ok and settings.container == Container.LIST:
            mended = _make(Container.MODULES)
            fixed = attempt(lambda: _use(mended, settings))[1]
        tensors = [row for row in ledger(net).rows if row.kind == Kind.PARAMETER]
        return UseMySequentialReport(
            outcome=outcome,
            container=settings.container,
            use=settings.use,
            device=settings.device,
            modules=tuple((name, str(module)) for name, module in net._modules.items()),
            modules_type=type(net._modules).__name__,
            parameters=len(list(net.parameters())),
            reachable=len(tensors),
            saved=len(net.state_dict()),
            output_shape=None if y is None else tuple(y.shape),
            tree=rows_of(net),
            fixed_outcome=fixed,
            has_device=has_device or settings.use != Use.MOVE,
        )


def _make(container: Container) -> nn.Module:
    torch.manual_seed(0)
    kind = MySequential if container == Container.MODULES else MySequentialWithList
    return kind(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))


def _use(net: nn.Module, settings: UseMySequential) -> torch.Tensor:
    x = torch.ones(2, 20)
    if settings.use == Use.OPTIMIZER:
        torch.optim.SGD(net.parameters(), lr=0.1)
    if settings.use == Use.MOVE:
        net.to(settings.device)
        x = x.to(settings.device)
    result: torch.Tensor = net(x)
    return result
