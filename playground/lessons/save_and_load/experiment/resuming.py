"""One run that never stops, and two that go on from its checkpoint."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from playground.compute.outcome import attempt
from playground.lessons.save_and_load.experiment.scratch import file_bytes, scratch_folder
from playground.lessons.save_and_load.records import (
    LeftOut,
    Optimizer,
    ResumeTraining,
    ResumeTrainingReport,
)

FULL, LACKING = "checkpoint.pt", "lacking/checkpoint.pt"  # the name is a part of the file
POINTS, BATCH = 64, 16
Training = tuple[nn.Module, torch.optim.Optimizer]
OPTIMIZERS = {
    Optimizer.ADAM: (torch.optim.Adam, {"lr": 0.05}),
    Optimizer.MOMENTUM: (torch.optim.SGD, {"lr": 0.05, "momentum": 0.9}),
    Optimizer.SGD: (torch.optim.SGD, {"lr": 0.1}),
}
ENTRIES = {LeftOut.MODEL: "model", LeftOut.OPTIMIZER: "optimizer", LeftOut.ORDER: "rng"}


class Loop:
    """Points and a network that learns them, batch by batch, in an order that torch draws."""

    def __init__(self, settings: ResumeTraining) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.points = torch.randn(POINTS, 2)
        self.targets = self.points[:, :1] * self.points[:, 1:]

    def make(self) -> Training:
        """A network at its first values, and its optimizer."""
        net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
        kind, arguments = OPTIMIZERS[self.settings.optimizer]
        return net, kind(net.parameters(), **arguments)

    def train(self, training: Training, epochs: int) -> list[float]:
        """Train; the mean loss of each epoch."""
        net, optimizer = training
        losses = []
        for _ in range(epochs):
            total = 0.0
            for batch in torch.split(torch.randperm(POINTS), BATCH):
                loss = functional.mse_loss(net(self.points[batch]), self.targets[batch])
                optimizer.zero_grad()
                torch.autograd.backward(loss)
                optimizer.step()
                total += loss.item()
            losses.append(total * BATCH / POINTS)
        return losses

    def resume(self, file: str, seed: int) -> tuple[Training, list[float]]:
        """Go on from a file, in what might be another run of Python."""
        torch.manual_seed(seed)
        net, optimizer = self.make()
        checkpoint: dict[str, Any] = torch.load(file)
        if "model" in checkpoint:
            net.load_state_dict(checkpoint["model"])
        if "optimizer" in checkpoint:
            optimizer.load_state_dict(checkpoint["optimizer"])
        if "rng" in checkpoint:
            torch.set_rng_state(checkpoint["rng"])
        return (net, optimizer), self.train((net, optimizer), self.settings.after)


def checkpoint_of(training: Training, epoch: int, left_out: LeftOut) -> dict[str, Any]:
    """All that training needs to go on, or all but one entry."""
    net, optimizer = training
    whole = {
        "epoch": epoch,
        "model": net.state_dict(),
        "optimizer": optimizer.state_dict(),
        "rng": torch.get_rng_state(),
    }
    return {name: each for name, each in whole.items() if name != ENTRIES.get(left_out)}


def resume_training(settings: ResumeTraining) -> ResumeTrainingReport:
    """Train and save; train on; then go on from the file, with everything and without."""
    loop = Loop(settings)
    training = loop.make()
    losses = loop.train(training, settings.before)
    with scratch_folder():
        Path(LACKING).parent.mkdir()
        for file, left_out in ((FULL, LeftOut.NOTHING), (LACKING, settings.left_out)):
            torch.save(checkpoint_of(training, settings.before, left_out), file)
        sizes = file_bytes(FULL), file_bytes(LACKING)
        losses += loop.train(training, settings.after)
        full, resumed = loop.resume(FULL, settings.seed + 1)
        lacking, without = loop.resume(LACKING, settings.seed + 1)
    return ResumeTrainingReport(
        outcome=attempt(lambda: None)[1],
        optimizer=settings.optimizer,
        left_out=settings.left_out,
        before=settings.before,
        uninterrupted=tuple(losses),
        resumed=tuple(resumed),
        without=tuple(without),
        equal_parameters=(_agree(training, full), _agree(training, lacking)),
        state_tensors=sum(
            isinstance(value, Tensor)
            for state in training[1].state.values()
            for value in state.values()
        ),
        file_bytes=sizes,
    )


def _agree(one: Training, other: Training) -> bool:
    return all(map(torch.equal, one[0].parameters(), other[0].parameters()))
