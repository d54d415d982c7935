"""A training run whose loss is not looked at, read back while it runs, or kept until its end."""

import time

import torch
from torch import nn

from playground.compute import Tell, tell_nobody
from playground.lessons.timing.experiment.clock import (
    LEAST_REPEATS,
    Budget,
    cpu_threads,
    timed_devices,
    wait_for,
)
from playground.lessons.timing.records import (
    Logging,
    LoggingPoint,
    LoggingProgress,
    LogLosses,
    LogLossesReport,
)
from playground.machines.machine import DeviceName

EXAMPLES, FEATURES = 64, 32
LEARNING_RATE = 0.01


def log_losses(settings: LogLosses, tell: Tell[LoggingProgress] = tell_nobody) -> LogLossesReport:
    """Time the same run in three ways, in turns, so that a disturbance meets all of them."""
    devices = timed_devices(settings.machine)
    rounds = 1 + settings.REPEATS  # the first one warms up
    budget = Budget(settings.TOTAL_SECONDS)
    points: list[LoggingPoint] = []
    is_cut_short = False
    with cpu_threads(uses_all=False) as threads:
        for place, device in enumerate(devices):
            taken: dict[Logging, list[float]] = {logging: [] for logging in Logging}
            losses: dict[Logging, list[float]] = {}
            for number in range(rounds):
                if budget.is_used_up and number > LEAST_REPEATS:
                    is_cut_short = True
                    break
                done = place * rounds + number
                tell(LoggingProgress(done=done, total=len(devices) * rounds, device=device))
                for logging in Logging:
                    seconds, losses[logging] = _train(settings, device, logging)
                    if number:
                        taken[logging].append(seconds)
            points += [
                _sum_up(settings, device, logging, taken[logging], losses[logging])
                for logging in Logging
            ]
    return LogLossesReport(
        machine=settings.machine,
        devices=devices,
        threads=threads,
        is_cut_short=is_cut_short,
        steps=settings.steps,
        every=settings.every,
        points=tuple(points),
    )


def _train(settings: LogLosses, device: DeviceName, logging: Logging) -> tuple[float, list[float]]:
    """Train from the same start; the clock runs from the first step to the last loss."""
    torch.manual_seed(settings.seed)
    net = nn.Sequential(
        nn.Linear(FEATURES, settings.width), nn.ReLU(), nn.Linear(settings.width, 1)
    )
    inputs = torch.randn(EXAMPLES, FEATURES)
    targets = inputs.sum(dim=1, keepdim=True).to(device)
    net, inputs = net.to(device), inputs.to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=LEARNING_RATE)
    losses: list[float] = []
    kept: list[torch.Tensor] = []
    wait_for(device)
    begin = time.perf_counter()
    for step in range(1, settings.steps + 1):
        loss = nn.functional.mse_loss(net(inputs), targets)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if logging == Logging.READ and step % settings.every == 0:
            losses.append(loss.item())
        elif logging == Logging.KEPT:
            kept.append(loss.detach())
    if kept:
        losses = torch.stack(kept).tolist()
    wait_for(device)
    return time.perf_counter() - begin, losses


def _sum_up(
    settings: LogLosses,
    device: DeviceName,
    logging: Logging,
    seconds: list[float],
    losses: list[float],
) -> LoggingPoint:
    reads = {
        Logging.NONE: 0,
        Logging.READ: settings.steps // settings.every,
        Logging.KEPT: 1,
    }
    return LoggingPoint.of(
        seconds,
        device=device,
        logging=logging,
        reads=reads[logging],
        last_loss=losses[-1] if losses else None,
    )
