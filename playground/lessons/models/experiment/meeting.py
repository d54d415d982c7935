"""A batch meets a network, and both meet a loss: on one device, or on several."""

import re

import torch
from torch import nn

from playground.compute.outcome import Outcome, attempt
from playground.lessons.models.experiment.placing import all_devices
from playground.lessons.models.records import (
    ComputeLoss,
    ComputeLossReport,
    FeedModel,
    FeedModelReport,
    Layer,
    Pair,
)
from playground.machines import DeviceName
from playground.machines.host import running_on

NAMED_ARGUMENT = re.compile(r"but got (\w+) is on ")


def named_in(outcome: Outcome) -> str | None:
    """The argument that torch's message names."""
    named = NAMED_ARGUMENT.search(outcome.message)
    return named[1] if named else None


def feed_model(settings: FeedModel) -> FeedModelReport:
    """Feed one layer, then every other pair of devices, then with the batch beside the model."""
    with running_on(settings.machine):
        y, outcome = attempt(lambda: _feed(settings.layer, settings.batch, settings.model))
        devices = all_devices()
        fixed = None
        if not outcome.ok and {settings.batch, settings.model} <= set(devices):
            _, fixed = attempt(
                lambda: _feed(settings.layer, settings.batch, settings.model, is_moved=True)
            )
        return FeedModelReport(
            outcome=outcome,
            devices=devices,
            is_simulated=settings.machine.is_simulated,
            layer=settings.layer,
            batch=settings.batch,
            model=settings.model,
            result_device=None if y is None else str(y.device),
            named_argument=named_in(outcome),
            fixed_outcome=fixed,
            pairs=tuple(
                Pair(batch=batch, model=model, outcome=_outcome(settings.layer, batch, model))
                for batch in devices
                for model in devices
            ),
        )


def _outcome(layer: Layer, batch: DeviceName, model: DeviceName) -> Outcome:
    return attempt(lambda: _feed(layer, batch, model))[1]


def _feed(
    layer: Layer, batch: DeviceName, model: DeviceName, is_moved: bool = False
) -> torch.Tensor:
    net = _make(layer).to(model)
    x = _batch(layer, batch)
    if is_moved:
        x = x.to(model)
    result = net(x)
    y: torch.Tensor = result[0] if isinstance(result, tuple) else result
    return y


def _make(layer: Layer) -> nn.Module:
    match layer:
        case Layer.LINEAR:
            return nn.Linear(4, 3)
        case Layer.CONV:
            return nn.Conv2d(1, 2, kernel_size=3)
        case Layer.EMBEDDING:
            return nn.Embedding(5, 3)
        case Layer.LSTM:
            return nn.LSTM(4, 3)
        case Layer.BATCH_NORM:
            return nn.BatchNorm1d(4)


def _batch(layer: Layer, device: DeviceName) -> torch.Tensor:
    match layer:
        case Layer.CONV:
            return torch.ones(2, 1, 5, 5, device=device)
        case Layer.EMBEDDING:
            return torch.tensor([0, 2], device=device)
        case Layer.LSTM:
            return torch.ones(2, 1, 4, device=device)
        case _:
            return torch.ones(2, 4, device=device)


def compute_loss(settings: ComputeLoss) -> ComputeLossReport:
    """Send a batch through network and loss as they are; where that fails, bring all together."""
    with running_on(settings.machine):
        parts, outcome = attempt(lambda: _Parts(settings))
        stage, loss, fixed = None, None, None
        if parts is not None:
            y_hat, outcome = attempt(lambda: parts.net(parts.x))
            stage = "network"
            if y_hat is not None:
                loss, outcome = attempt(lambda: parts.criterion(y_hat, parts.y))
                stage = None if outcome.ok else "loss"
        if parts is not None and not outcome.ok:
            _, fixed = attempt(lambda: parts.together(settings.model))
        return ComputeLossReport(
            outcome=outcome,
            devices=all_devices(),
            is_simulated=settings.machine.is_simulated,
            batch=settings.batch,
            model=settings.model,
            labels=settings.labels,
            weight=settings.weight,
            stage=stage,
            named_argument=named_in(outcome),
            loss_device=None if loss is None else str(loss.device),
            loss_buffers=() if parts is None else tuple(dict(parts.criterion.named_buffers())),
            loss_parameters=0 if parts is None else len(list(parts.criterion.parameters())),
            moves=settings.moves,
            fixed_outcome=fixed,
        )


class _Parts:
    """What a training step needs, each part where the settings put it."""

    def __init__(self, settings: ComputeLoss) -> None:
        torch.manual_seed(0)
        self.net = nn.Linear(4, 3).to(settings.model)
        weight = torch.tensor([1.0, 2.0, 3.0])
        self.criterion = nn.CrossEntropyLoss(weight=weight).to(settings.weight)
        self.x = torch.ones(2, 4, device=settings.batch)
        self.y = torch.tensor([0, 2], device=settings.labels)

    def together(self, device: DeviceName) -> torch.Tensor:
        """The loss with everything on one device."""
        self.criterion.to(device)
        loss: torch.Tensor = self.criterion(self.net(self.x.to(device)), self.y.to(device))
        return loss
