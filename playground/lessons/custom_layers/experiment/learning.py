"""A layer with parameters: its gradient, its part in a training, the layout of its weight."""

import torch
from torch import Tensor, nn
from torch.autograd import backward

from playground.compute.outcome import Outcome, attempt
from playground.lessons.custom_layers.records import (
    Copying,
    CopyWeights,
    CopyWeightsReport,
    Gradient,
    Place,
    Run,
    Trained,
    TrainThrough,
    TrainThroughReport,
    UseMyLinear,
    UseMyLinearReport,
    Way,
)
from playground.modules.custom.my_linear import MyLinear
from playground.modules.custom.my_linear_with_data import MyLinearWithData

Own = type[MyLinear] | type[MyLinearWithData]
OWN: dict[Way, Own] = {Way.PARAMETERS: MyLinear, Way.DATA: MyLinearWithData}
LR = 0.01
ATOL = 1e-5
SIZES = {Place.FIRST: (4, 8), Place.MIDDLE: (8, 8), Place.LAST: (8, 1)}


def use_my_linear(settings: UseMyLinear) -> UseMyLinearReport:
    """Make the layer, feed it two rows, and go back from the sum of what comes out."""
    torch.manual_seed(settings.seed)
    layer = OWN[settings.way](settings.units_in, settings.units)
    y: Tensor = layer(torch.rand(2, settings.units_in))
    _, outcome = attempt(lambda: backward(y.sum()))
    grad = layer.weight.grad
    return UseMyLinearReport(
        outcome=outcome,
        way=settings.way,
        units_in=settings.units_in,
        units=settings.units,
        seed=settings.seed,
        grad_fn=_name_of_grad_fn(y),
        output=_matrix(y),
        weight=_matrix(layer.weight),
        weight_grad=None if grad is None else _matrix(grad),
        rows=tuple(
            (name, tuple(each.shape), gradient_of(each)) for name, each in layer.named_parameters()
        ),
        parameters=sum(each.numel() for each in layer.parameters()),
    )


def gradient_of(parameter: Tensor) -> Gradient:
    """What its ``.grad`` holds."""
    grad = parameter.grad
    return Gradient.of(None if grad is None else grad.flatten().tolist())


def _name_of_grad_fn(output: Tensor) -> str | None:
    return None if output.grad_fn is None else output.grad_fn.name()


def _matrix(values: Tensor) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in values.tolist())


def train_through(settings: TrainThrough) -> TrainThroughReport:
    """Train the same network twice, from the same seed."""
    good, bad = (_train(settings, way) for way in (Way.PARAMETERS, Way.DATA))
    return TrainThroughReport(
        outcome=bad.outcome,
        place=settings.place,
        steps=settings.steps,
        seed=settings.seed,
        good=good,
        bad=bad,
    )


def _make(place: Place, way: Way) -> nn.Sequential:
    layers: list[nn.Module] = []
    for each, sizes in SIZES.items():
        if place in (each, Place.EVERYWHERE):
            layers.append(OWN[way](*sizes))
        else:
            layers.append(nn.Linear(*sizes))
            if each is not Place.LAST:
                layers.append(nn.ReLU())
    return nn.Sequential(*layers)


def _train(settings: TrainThrough, way: Way) -> Run:
    torch.manual_seed(settings.seed)
    net = _make(settings.place, way)
    x = torch.rand(64, 4)
    labels = x.sum(dim=1, keepdim=True)
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=LR)
    before = [each.detach().clone() for each in net.parameters()]
    outputs: list[Tensor] = []
    own = net[settings.place.position]
    hook = own.register_forward_hook(lambda *call: outputs.append(call[2]))
    losses: list[float] = []
    gradients: list[Gradient] = [Gradient.NONE] * len(before)
    outcome = Outcome(ok=True)
    for step in range(settings.steps):
        loss = criterion(net(x), labels)
        optimizer.zero_grad()
        _, outcome = attempt(lambda loss=loss: backward(loss))  # type: ignore[misc]
        if not outcome.ok:
            break
        if step == 0:
            gradients = [gradient_of(each) for each in net.parameters()]
        losses.append(loss.item())
        optimizer.step()
    if outcome.ok:
        losses.append(criterion(net(x), labels).item())
    hook.remove()
    owners = dict(net.named_modules())
    return Run(
        way=way,
        outcome=outcome,
        grad_fn=_name_of_grad_fn(outputs[0]),
        losses=tuple(losses),
        parameters=tuple(
            Trained(
                name=name,
                type_name=type(owners[name.partition(".")[0]]).__name__,
                is_own=isinstance(owners[name.partition(".")[0]], OWN[way]),
                gradient=gradient,
                has_changed=not torch.equal(old, each),
            )
            for (name, each), old, gradient in zip(
                net.named_parameters(), before, gradients, strict=True
            )
        ),
    )


@torch.no_grad()
def copy_weights(settings: CopyWeights) -> CopyWeightsReport:
    """Write one layer's weight into the other, and send both the same batch."""
    torch.manual_seed(settings.seed)
    layer = MyLinear(settings.units_in, settings.units)
    linear = nn.Linear(settings.units_in, settings.units)
    own = layer.weight.T if settings.copying is Copying.TRANSPOSED else layer.weight
    _, outcome = attempt(lambda: linear.weight.copy_(own))
    agrees, difference = None, None
    if outcome.ok:
        linear.bias.copy_(layer.bias)
        x = torch.randn(16, settings.units_in)
        ours, theirs = layer(x), torch.relu(linear(x))
        agrees = torch.allclose(ours, theirs, atol=ATOL)
        difference = (ours - theirs).abs().max().item()
    return CopyWeightsReport(
        outcome=outcome,
        copying=settings.copying,
        own_shape=(settings.units_in, settings.units),
        linear_shape=(linear.out_features, linear.in_features),
        agrees=agrees,
        difference=difference,
    )
