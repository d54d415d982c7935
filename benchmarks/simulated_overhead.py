"""Cost of simulated devices: the same operations on the plain CPU and on a simulated GPU.

Both are measured in one process, in turns, so that whatever else the computer does falls on both;
the figures are medians over the turns. Run it with ``python -m benchmarks.simulated_overhead``.
"""

import statistics
import time
from collections.abc import Callable

import torch
from torch import nn

from playground.machines.simulated import simulated_gpus

TURNS = 41
BATCH_SECONDS = 0.002  # one timed batch; long against the clock, short against other processes

Action = Callable[[], object]


def actions(device: str) -> dict[str, Action]:
    """The operations of the table, on one device."""
    x, matrix = torch.ones(4, device=device), torch.ones(64, 64, device=device)
    return {
        "small add": lambda: x + x,
        "64x64 matmul": lambda: matrix @ matrix,
        "torch.ones(1)": lambda: torch.ones(1, device=device),
        ".device": lambda: x.device,
        "MLP step, SGD": training_step(device, torch.optim.SGD),
        "MLP step, Adam": training_step(device, torch.optim.Adam),
    }


def training_step(device: str, optimizer: Callable[..., torch.optim.Optimizer]) -> Action:
    """One step of a 20-64-1 perceptron on a batch of 16."""
    net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    updates = optimizer(net.parameters(), lr=0.01)
    x, y = torch.randn(16, 20).to(device), torch.randn(16, 1).to(device)

    def step() -> None:
        updates.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        updates.step()

    return step


def repeats_for(action: Action) -> int:
    """Return how often an action fits into a batch."""
    action()
    started = time.perf_counter()
    action()
    return max(1, int(BATCH_SECONDS / max(time.perf_counter() - started, 1e-7)))


def seconds(action: Action, repeats: int) -> float:
    """Time one batch, per action."""
    started = time.perf_counter()
    for _ in range(repeats):
        action()
    return (time.perf_counter() - started) / repeats


def measure() -> dict[str, object]:
    """Measure every operation.

    Returns:
        Per operation ``plain_us``, ``simulated_us``, ``added_us`` and ``ratio``.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _measure()
    finally:
        torch.set_num_threads(threads)


def _measure() -> dict[str, object]:
    plain = actions("cpu")
    repeats = {name: repeats_for(action) for name, action in plain.items()}
    plain_times: dict[str, list[float]] = {name: [] for name in plain}
    simulated_times: dict[str, list[float]] = {name: [] for name in plain}
    for _ in range(TURNS):
        for name, action in plain.items():
            plain_times[name].append(seconds(action, repeats[name]))
        with simulated_gpus(1):
            for name, action in actions("cuda").items():
                action()  # the first call finds caches cold
                simulated_times[name].append(seconds(action, max(1, repeats[name] // 4)))
    return {
        name: _figures(
            statistics.median(plain_times[name]), statistics.median(simulated_times[name])
        )
        for name in plain
    }


def _figures(plain: float, simulated: float) -> dict[str, float]:
    return {
        "plain_us": round(plain * 1e6, 2),
        "simulated_us": round(simulated * 1e6, 2),
        "added_us": round((simulated - plain) * 1e6, 2),
        "ratio": round(simulated / plain, 1),
    }


def main() -> None:
    """Print the table."""
    print(f"{'operation':<16}{'plain µs':>10}{'simulated µs':>14}{'added µs':>10}{'ratio':>7}")
    for name, figures in measure().items():
        assert isinstance(figures, dict)
        plain, simulated, added, ratio = figures.values()
        print(f"{name:<16}{plain:>10.2f}{simulated:>14.2f}{added:>10.2f}{ratio:>7.1f}")


if __name__ == "__main__":
    main()
