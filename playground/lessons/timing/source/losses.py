"""The program that trains and looks at the loss in three ways."""

from playground.lessons.timing.records import LogLosses
from playground.lessons.timing.source.products import DEVICES, WAIT


def log_losses(settings: LogLosses) -> str:
    """Time the same training run three times over, in turns."""
    return f"""\
import statistics
import time

import torch
from torch import nn

torch.set_num_threads(1)
{DEVICES}


{WAIT}

def train(device, logging):
    torch.manual_seed({settings.seed})
    net = nn.Sequential(nn.Linear(32, {settings.width}), nn.ReLU(), nn.Linear({settings.width}, 1))
    X = torch.randn(64, 32)
    y = X.sum(dim=1, keepdim=True).to(device)
    net, X = net.to(device), X.to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    losses, kept = [], []
    wait_for(device)
    begin = time.perf_counter()
    for step in range(1, {settings.steps} + 1):
        loss = nn.functional.mse_loss(net(X), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if logging == "read" and step % {settings.every} == 0:
            losses.append(loss.item())  # waits for the device and copies one number
        elif logging == "kept":
            kept.append(loss.detach())  # stays where it is
    if kept:
        losses = torch.stack(kept).tolist()  # one wait, one copy
    wait_for(device)
    return time.perf_counter() - begin, losses


result = {{}}
for device in devices:
    taken = {{"none": [], "read": [], "kept": []}}
    for number in range(1 + {settings.REPEATS}):
        for logging in taken:
            seconds, losses = train(device, logging)
            if number:  # the first round warms up
                taken[logging].append(seconds)
            result[device, logging] = losses[-1] if losses else None
    for logging, seconds in taken.items():
        print(device, logging, statistics.median(seconds))
"""
