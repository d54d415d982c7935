"""Makes optimizers and initialises, before the first batch and after it."""

from functools import cache

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from playground.compute.outcome import Outcome
from playground.lessons.lazy_layers.experiment.answering import small_net, tried
from playground.lessons.lazy_layers.records import (
    Answer,
    Check,
    InitialiseNet,
    InitialiseNetReport,
    Moment,
    Optimizer,
    Trained,
    TrainFromBefore,
    TrainFromBeforeReport,
)


def train_from_before(settings: TrainFromBefore) -> TrainFromBeforeReport:
    """Try every optimizer, made before the first batch and after it."""
    trained = tuple(_train(name, moment) for name in Optimizer for moment in Moment)
    chosen = (settings.optimizer, settings.moment)
    answer = next(each.answer for each in trained if (each.optimizer, each.moment) == chosen)
    return TrainFromBeforeReport(
        outcome=answer.outcome,
        optimizer=settings.optimizer,
        moment=settings.moment,
        tried=trained,
    )


@cache
def _train(name: Optimizer, moment: Moment) -> Trained:
    torch.manual_seed(0)
    net = small_net()
    X, y = torch.randn(8, 20), torch.randn(8, 10)
    if moment is Moment.AFTER:
        net(X)
    make = getattr(torch.optim, name)
    optimizer, outcome = tried(lambda: make(net.parameters(), lr=0.1))
    if optimizer is None:
        return _result(name, moment, net, outcome)
    net(X)
    before = [each.detach().clone() for each in net.parameters()]

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(X), y)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    _, outcome = tried(lambda: optimizer.step(closure))
    after = list(net.parameters())
    held = [each for group in optimizer.param_groups for each in group["params"]]
    return _result(
        name,
        moment,
        net,
        outcome,
        changed=sum(not torch.equal(x, y) for x, y in zip(before, after, strict=True)),
        is_held=all(x is y for x, y in zip(held, after, strict=True)),
    )


def _result(
    name: Optimizer,
    moment: Moment,
    net: nn.Module,
    outcome: Outcome,
    *,
    changed: int = 0,
    is_held: bool = False,
) -> Trained:
    return Trained(
        optimizer=name,
        moment=moment,
        answer=Answer(outcome=outcome),
        changed=changed,
        parameters=len(list(net.parameters())),
        is_held=is_held,
    )


def initialise_net(settings: InitialiseNet) -> InitialiseNetReport:
    """Let ``apply`` initialise the network, and look at its weights after the first batch."""
    plain = _made(settings.seed)
    plain(torch.ones(2, 20))
    net = _made(settings.seed)
    matched: list[nn.Module] = []

    def init(m: nn.Module) -> None:
        is_meant = isinstance(m, nn.Linear)
        if settings.check is Check.TYPE:
            is_meant = type(m) is nn.Linear
        if is_meant:
            matched.append(m)
            nn.init.normal_(m.weight, std=0.01)  # type: ignore[arg-type]

    if settings.moment is Moment.AFTER:
        net(torch.ones(2, 20))
    _, outcome = tried(lambda: net.apply(init))
    if settings.moment is Moment.BEFORE and outcome.ok:
        net(torch.ones(2, 20))
    return InitialiseNetReport(
        outcome=outcome,
        check=settings.check,
        moment=settings.moment,
        matched=len(matched),
        linear=sum(isinstance(each, nn.Linear) for each in net),
        stds=_stds(net),
        default_stds=_stds(plain),
    )


def _made(seed: int) -> nn.Sequential:
    torch.manual_seed(seed)
    return small_net()


def _stds(net: nn.Sequential) -> tuple[float, ...]:
    weights = (each for name, each in net.named_parameters() if name.endswith("weight"))
    return tuple(each.std().item() for each in weights if not is_lazy(each))
