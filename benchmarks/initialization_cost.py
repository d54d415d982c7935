"""Cost of the microscope on ten million values, and of a sweep of depths, against bare torch.

Both run in turns in one go, so that whatever else the computer does falls on both; a figure is the
median of the turns. Run it with ``python -m benchmarks.initialization_cost``.
"""

import pickle
import statistics
import time
from collections.abc import Callable

import torch
from torch import nn

from playground.lessons.initialization.histogram import Histogram, draw, histogram, measured
from playground.lessons.initialization.signal_through_depth import Initializer, SignalThroughDepth
from playground.modules.initialisers import BINS, expected

TURNS = 9
SHAPE = (10_000, 1000)
DEPTHS = (2, 10, 20, 30, 40, 50)
WIDTH, BATCH = 256, 64
KILOBYTE = 1000


def measure(
    turns: int = TURNS, shape: tuple[int, int] = SHAPE, depths: tuple[int, ...] = DEPTHS
) -> dict[str, float]:
    """Take all figures with one torch thread.

    Returns:
        Seconds to fill a tensor and to describe it, the same by torch's own functions alone, the
        median of the turns' ratios; kilobytes of the report and of the picture; and the same times
        for a signal through networks of all depths.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        histogram = describe(shape)
        bare(shape)
        pairs = [
            (_seconds(lambda: describe(shape)), _seconds(lambda: bare(shape))) for _ in range(turns)
        ]
        sweep(depths)
        bare_sweep(depths)
        sweeps = [
            (_seconds(lambda: sweep(depths)), _seconds(lambda: bare_sweep(depths)))
            for _ in range(turns)
        ]
    finally:
        torch.set_num_threads(threads)
    picture = draw([histogram]).svg
    return {
        "histogram_s": statistics.median(ours for ours, _ in pairs),
        "histogram_in_bare_torch_s": statistics.median(theirs for _, theirs in pairs),
        "histogram_over_bare_torch_ratio": statistics.median(ours / bare for ours, bare in pairs),
        "report_kb": len(pickle.dumps(histogram)) / KILOBYTE,
        "picture_kb": len(picture.encode()) / KILOBYTE,
        "depth_sweep_s": statistics.median(ours for ours, _ in sweeps),
        "depth_sweep_in_bare_torch_s": statistics.median(theirs for _, theirs in sweeps),
        "depth_sweep_over_bare_torch_ratio": statistics.median(
            ours / bare for ours, bare in sweeps
        ),
    }


def describe(shape: tuple[int, int]) -> Histogram:
    """Fill and describe a tensor as the microscope does."""
    torch.manual_seed(0)
    values = nn.init.normal_(torch.empty(shape))
    distribution = expected("normal_", {}, shape).distribution
    return histogram("w", measured(values, distribution), distribution)


def bare(shape: tuple[int, int]) -> None:
    """Fill and describe a tensor as one would without a lesson."""
    torch.manual_seed(0)
    values = nn.init.normal_(torch.empty(shape))
    least, most = values.aminmax()
    torch.std_mean(values)
    torch.histc(values, BINS, least.item(), most.item())


def sweep(depths: tuple[int, ...]) -> None:
    """A signal and its gradient through networks of every depth, as the lesson describes them."""
    for depth in depths:
        SignalThroughDepth(depth=depth, width=WIDTH, initializer=Initializer.KAIMING).experiment()


def bare_sweep(depths: tuple[int, ...]) -> None:
    """The same networks with the std of every layer alone."""
    for depth in depths:
        torch.manual_seed(0)
        signal = torch.randn(BATCH, WIDTH)
        layers = [nn.Linear(WIDTH, WIDTH) for _ in range(depth)]
        for layer in layers:
            nn.init.kaiming_normal_(layer.weight)
            nn.init.zeros_(layer.bias)
        outputs = []
        for layer in layers:
            signal = torch.relu(layer(signal))
            signal.retain_grad()
            outputs.append(signal)
        signal.backward(torch.randn_like(signal))  # type: ignore[no-untyped-call]
        for each in outputs:
            each.std().item()
            assert each.grad is not None
            each.grad.std().item()


def _seconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def main() -> None:
    """Print the figures, one to a line."""
    for name, value in measure().items():
        print(f"{name:36}{value:10.3f}")


if __name__ == "__main__":
    main()
