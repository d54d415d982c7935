"""The five duties of a block, each of them tried on a real one."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.autograd import backward

from playground.compute.outcome import attempt
from playground.lessons.blocks.records import (
    CheckDuties,
    CheckDutiesReport,
    DutyBlock,
    ParameterRow,
    Slope,
)
from playground.modules.custom.centered_layer import CenteredLayer
from playground.modules.custom.fixed_hidden_mlp import FixedHiddenMLP
from playground.modules.custom.mlp import MLP
from playground.modules.custom.my_linear import MyLinear
from playground.modules.custom.my_linear_with_data import MyLinearWithData
from playground.modules.custom.my_sequential_with_list import MySequentialWithList
from playground.modules.custom.nest_mlp import NestMLP
from playground.modules.ledger import Kind, ledger

MOST_NUMBERS = 12  # of each tensor: two calls of the block for every one
STEP = 1e-6

MAKERS: dict[DutyBlock, Callable[[], nn.Module]] = {
    DutyBlock.FIXED_HIDDEN: FixedHiddenMLP,
    DutyBlock.MLP: MLP,
    DutyBlock.NEST_MLP: NestMLP,
    DutyBlock.CHIMERA: lambda: nn.Sequential(NestMLP(), nn.Linear(16, 20), FixedHiddenMLP()),
    DutyBlock.CENTERED: CenteredLayer,
    DutyBlock.MY_LINEAR: lambda: MyLinear(5, 3),
    DutyBlock.WITH_DATA: lambda: MyLinearWithData(5, 3),
    DutyBlock.WITH_LIST: lambda: MySequentialWithList(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 3)),
    DutyBlock.CONV: lambda: nn.Conv2d(1, 2, kernel_size=3),
}


def check_duties(settings: CheckDuties) -> CheckDutiesReport:
    """Make the block in float64, run it forwards and backwards, and compare every slope.

    The loss is a weighted sum of the outputs, so that no output cancels another. A difference
    quotient is (loss(w + h) - loss(w - h)) / 2h with h = 1e-6.
    """
    torch.set_default_dtype(torch.float64)  # float32 is too coarse for difference quotients
    net = _make(settings.block, settings.seed)
    x = torch.rand(settings.block.input_shape, requires_grad=True)
    y, outcome = attempt(lambda: net(x))
    slopes: tuple[Slope, ...] = ()
    tensors = _parameters(net)
    if y is not None:
        weights = torch.rand(y.shape)
        backward((y * weights).sum())
        slopes = tuple(_slopes(net, x, weights, {"X": x, **tensors}))
    listed = {id(each) for each in net.parameters()}
    again, other = (
        _parameters(_make(settings.block, seed)) for seed in (settings.seed, settings.seed + 1)
    )
    return CheckDutiesReport(
        outcome=outcome,
        block=settings.block,
        input_shape=tuple(x.shape),
        output_shape=None if y is None else tuple(y.shape),
        slopes=slopes,
        without_gradient=tuple(name for name, each in tensors.items() if each.grad is None),
        parameters=tuple(
            ParameterRow(
                name=name,
                shape=tuple(each.shape),
                least=each.min().item(),
                greatest=each.max().item(),
                is_listed=id(each) in listed,
            )
            for name, each in tensors.items()
        ),
        repeats=all(torch.equal(each, again[name]) for name, each in tensors.items()),
        is_fresh=any(not torch.equal(each, other[name]) for name, each in tensors.items()),
    )


def _make(block: DutyBlock, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    return MAKERS[block]()


def _parameters(net: nn.Module) -> dict[str, Tensor]:
    """Every parameter that the block leads to, known to it or not."""
    found: dict[str, Tensor] = dict(net.named_parameters())
    if isinstance(net, MySequentialWithList):
        for index, layer in enumerate(net.layers):
            found |= {f"layers[{index}].{name}": each for name, each in layer.named_parameters()}
    reached = [row.path for row in ledger(net).rows if row.kind == Kind.PARAMETER]
    assert sorted(reached) == sorted(found)
    return found


def _slopes(
    net: nn.Module, x: Tensor, weights: Tensor, tensors: dict[str, Tensor]
) -> Iterator[Slope]:
    for name, tensor in tensors.items():
        chosen = torch.randperm(tensor.numel())[:MOST_NUMBERS].sort().values
        for place in chosen.tolist():
            gradient = 0.0 if tensor.grad is None else tensor.grad.flatten()[place].item()
            yield Slope(
                name=name,
                autograd=gradient,
                finite=_quotient(net, x, weights, tensor, place),
            )


@torch.no_grad()
def _quotient(net: nn.Module, x: Tensor, weights: Tensor, tensor: Tensor, place: int) -> float:
    numbers = tensor.view(-1)
    kept = numbers[place].item()
    losses = []
    for step in (STEP, -STEP):
        numbers[place] = kept + step
        losses.append((net(x) * weights).sum().item())
    numbers[place] = kept
    above, below = losses
    quotient: float = (above - below) / (2 * STEP)
    return quotient
