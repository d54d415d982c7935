"""The textbook's loop, without the Trainer."""

import torch
from torch import nn

from playground.training.points import Points, moons


def plain_losses(epochs: int, seed: int = 0, lr: float = 0.3) -> list[float]:
    """The mean loss of each epoch on the moons, with SGD."""
    torch.manual_seed(seed)
    points = Points(moons, 2, seed)
    net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=lr)
    X, y = points.train
    losses = []
    for _ in range(epochs):
        parts = []
        for chosen in torch.randperm(240, generator=points.generator).split(40):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(X[chosen]), y[chosen])
            loss.backward()
            optimizer.step()
            parts.append(loss.item() * 40)
        losses.append(sum(parts) / 240)
    return losses
