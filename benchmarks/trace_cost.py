"""Cost of a trace against torchinfo's summary of the same networks on the same inputs.

Each pair runs in turns in one go, so that whatever else the computer does falls on both; a figure
is the median of the turns' ratios. Run it with ``python -m benchmarks.trace_cost``.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torchinfo import summary

from playground.modules.trace import trace_forward

TURNS = 41

Network = tuple[nn.Module, torch.Tensor]


class Residual(nn.Module):
    """Two convolutions, and what went in."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return something of the same shape."""
        y: torch.Tensor = self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x)))))
        return torch.relu(y + x)


def one_layer() -> Network:
    return nn.Linear(20, 10), torch.rand(2, 20)


def mlp() -> Network:
    return nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10)), torch.rand(2, 20)


def cnn() -> Network:
    layers = nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU()
    head = nn.Flatten(), nn.Linear(16 * 8 * 8, 84), nn.ReLU(), nn.Linear(84, 10)
    return nn.Sequential(*layers, *head), torch.rand(2, 1, 28, 28)


def recurrent() -> Network:
    return nn.LSTM(32, 64, num_layers=2), torch.rand(10, 2, 32)


def encoder() -> Network:
    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    return nn.TransformerEncoder(layer, 6, enable_nested_tensor=False), torch.rand(2, 10, 64)


def residual_blocks() -> Network:
    return nn.Sequential(*(Residual(16) for _ in range(20))), torch.rand(2, 16, 16, 16)


def thousand_layers() -> Network:
    layers = [layer for _ in range(500) for layer in (nn.Linear(8, 8), nn.ReLU())]
    return nn.Sequential(*layers), torch.rand(2, 8)


def large_layers() -> Network:
    return nn.Sequential(nn.Linear(4096, 4096), nn.Linear(4096, 4096)), torch.rand(1, 4096)


NETWORKS: dict[str, Callable[[], Network]] = {
    "one layer": one_layer,
    "mlp": mlp,
    "cnn": cnn,
    "lstm": recurrent,
    "transformer encoder": encoder,
    "residual blocks": residual_blocks,
    "thousand layers": thousand_layers,
    "large layers": large_layers,
}


def measure(turns: int = TURNS) -> dict[str, float]:
    """Take all figures with one torch thread.

    Returns:
        For each network ``*_over_torchinfo_ratio`` and the trace's own time, ``*_ms``; and the
        median of the ratios.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        figures: dict[str, float] = {}
        for name, make in NETWORKS.items():
            ratio, taken = _compared(*make(), turns)
            figures[f"{name}_over_torchinfo_ratio"] = ratio
            figures[f"{name}_ms"] = taken * 1e3
    finally:
        torch.set_num_threads(threads)
    ratios = [value for key, value in figures.items() if key.endswith("ratio")]
    return {"median_over_torchinfo_ratio": statistics.median(ratios), **figures}


def _compared(net: nn.Module, x: torch.Tensor, turns: int) -> tuple[float, float]:
    net.eval()
    ratios, times = [], []
    for _ in range(turns + 1):
        ours = _seconds(lambda: trace_forward(net, x))
        theirs = _seconds(lambda: summary(net, input_data=[x], verbose=0))
        ratios.append(ours / theirs)
        times.append(ours)
    return statistics.median(ratios[1:]), statistics.median(
        times[1:]
    )  # the first finds caches cold


def _seconds(action: Callable[[], Any]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def main() -> None:
    """Print the figures, one to a line."""
    for name, value in measure().items():
        print(f"{name:48}{value:10.3f}")


if __name__ == "__main__":
    main()
