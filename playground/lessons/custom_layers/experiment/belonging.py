"""A layer as part of a network, and a tensor as part of a layer."""

import io
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import backward

from playground.compute.outcome import Outcome, attempt
from playground.lessons.custom_layers.records import (
    Assignment,
    AssignWeight,
    AssignWeightReport,
    Held,
    Holding,
    HoldTensor,
    HoldTensorReport,
    Part,
    UseAsComponent,
    UseAsComponentReport,
)
from playground.machines import DeviceName
from playground.machines.host import running_on
from playground.modules.custom.my_linear import MyLinear
from playground.modules.custom.scales import (
    ScaleAttribute,
    ScaleBuffer,
    ScaleParameter,
    ScaleTracked,
    ScaleUnsavedBuffer,
)

Layer = type[MyLinear] | type[nn.Linear]
HOLDERS: dict[Holding, Any] = {
    Holding.ATTRIBUTE: ScaleAttribute,
    Holding.TRACKED: ScaleTracked,
    Holding.PARAMETER: ScaleParameter,
    Holding.BUFFER: ScaleBuffer,
    Holding.UNSAVED: ScaleUnsavedBuffer,
}
LR = 0.1


def use_as_component(settings: UseAsComponent) -> UseAsComponentReport:
    """Count, save, load, train, print and move a network of our layers, and one of torch's."""
    with running_on(settings.machine):
        own, outcome = _part(settings, MyLinear)
        linear, _ = _part(settings, nn.Linear)
        return UseAsComponentReport(outcome=outcome, device=settings.device, own=own, linear=linear)


def _part(settings: UseAsComponent, kind: Layer) -> tuple[Part, Outcome]:
    torch.manual_seed(settings.seed)
    net = _net(settings, kind)
    x = torch.rand(2, settings.units_in)
    loads = _loads(net, _net(settings, kind), x)
    trains = _trains(net)
    text = str(net[0])
    _, outcome = attempt(lambda: net.to(settings.device)(x.to(settings.device)))
    tensors = tuple(
        (path, tuple(tensor.shape), str(tensor.device) if outcome.ok else None)
        for path, tensor in net.state_dict().items()
    )
    part = Part(
        tensors=tensors,
        parameters=sum(each.numel() for each in net.parameters()),
        size_bytes=sum(each.nbytes for each in net.parameters()),
        loads=loads,
        trains=trains,
        text=text,
    )
    return part, outcome


def _net(settings: UseAsComponent, kind: Layer) -> nn.Sequential:
    return nn.Sequential(kind(settings.units_in, settings.units), kind(settings.units, 1))


def _loads(net: nn.Sequential, other: nn.Sequential, x: Tensor) -> bool:
    """Whether another network that loads the file gives the same output."""
    file = io.BytesIO()
    torch.save(net.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    return torch.equal(net(x), other(x))


def _trains(net: nn.Sequential) -> bool:
    """Whether an optimizer that was given the parameters changes each of them.

    The loss is the sum of all parameters: no unit that happens to rest can spoil the answer.
    """
    optimizer = torch.optim.SGD(net.parameters(), lr=LR)
    before = [each.detach().clone() for each in net.parameters()]
    backward(torch.stack([each.sum() for each in net.parameters()]).sum())
    optimizer.step()
    optimizer.zero_grad()
    return all(not torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True))


def hold_tensor(settings: HoldTensor) -> HoldTensorReport:
    """Try every way of holding a tensor with the same lines; answer with the chosen one's."""
    with running_on(settings.machine):
        tried = [_hold(each, settings.device) for each in Holding]
        return HoldTensorReport(
            outcome=next(answer for held, answer in tried if held.holding is settings.holding),
            holding=settings.holding,
            device=settings.device,
            every=tuple(held for held, _ in tried),
        )


def _hold(holding: Holding, device: DeviceName) -> tuple[Held, Outcome]:
    torch.manual_seed(0)
    layer = HOLDERS[holding](4)
    net = nn.Sequential(nn.Linear(4, 4), layer)
    optimizer = torch.optim.SGD(net.parameters(), lr=LR)
    before = layer.scale.detach().clone()
    backward(net(torch.ones(2, 4)).sum())
    has_gradient = layer.scale.grad is not None
    optimizer.step()
    is_trained = not torch.equal(before, layer.scale)
    in_parameters = "1.scale" in dict(net.named_parameters())
    in_state_dict = "1.scale" in net.state_dict()
    _, outcome = attempt(lambda: net.to(device))
    place = None
    if outcome.ok:
        place = str(layer.scale.device)
        _, outcome = attempt(lambda: net(torch.ones(2, 4, device=device)))
    held = Held(
        holding=holding,
        in_parameters=in_parameters,
        in_state_dict=in_state_dict,
        has_gradient=has_gradient,
        is_trained=is_trained,
        device=place,
    )
    return held, outcome


def assign_weight(settings: AssignWeight) -> AssignWeightReport:
    """Assign to the weight, feed the layer, and let the optimizer that was there take a step."""
    torch.manual_seed(0)
    layer: Any = MyLinear(4, 3)
    optimizer = torch.optim.SGD(layer.parameters(), lr=LR)
    old = layer.weight
    _, outcome = attempt(lambda: _assign(layer, settings.assignment))
    stage, has_trained = None if outcome.ok else "assignment", None
    if outcome.ok:
        y, outcome = attempt(lambda: layer(torch.ones(2, 4)))
        if y is None:
            stage = "forward"
        else:
            before = layer.weight.detach().clone()
            backward(y.sum())
            optimizer.step()
            has_trained = not torch.equal(before, layer.weight)
    return AssignWeightReport(
        outcome=outcome,
        assignment=settings.assignment,
        stage=stage,
        type_name=type(layer.weight).__name__,
        in_parameters="weight" in dict(layer.named_parameters()),
        in_state_dict="weight" in layer.state_dict(),
        is_same_object=layer.weight is old,
        is_held=any(each is layer.weight for each in optimizer.param_groups[0]["params"]),
        has_trained=has_trained,
    )


def _assign(layer: Any, assignment: Assignment) -> None:
    ones = torch.ones(4, 3)
    match assignment:
        case Assignment.TENSOR:
            layer.weight = ones
        case Assignment.PARAMETER:
            layer.weight = nn.Parameter(ones)
        case Assignment.COPY:
            with torch.no_grad():
                layer.weight.copy_(ones)
        case Assignment.DATA:
            layer.weight.data = ones
        case Assignment.SCALED:
            layer.weight = nn.Parameter(ones) * 2
        case Assignment.BUFFER:
            layer.register_buffer("weight", ones)
        case Assignment.NONE:
            layer.weight = None
        case Assignment.DELETED:
            del layer.weight
            layer.weight = ones
