"""What the microscope costs on ten million values, and a sweep of depths, against bare torch.

Both run in turns in one go, so that whatever else the computer does falls on both; a figure is the
median of the turns. Run it with ``python -m benchmarks.initialization_cost``.
"""

import pickle
import statistics
import time
from collections.abc import Callable

import torch
from torch import nn

from playground import catalog
from playground.lessons.initialization import figures
from playground.lessons.initialization.experiment import initialize, signal_through_depth
from playground.lessons.initialization.records import Initialize, Scheme, SignalThroughDepth
from playground.modules.initialisers.sampling import BINS
from playground.palette import LIGHT, Words

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
    settings = Initialize(initializer="normal_", shape=shape)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        report = initialize(settings)
        bare(shape)
        pairs = [
            (_seconds(lambda: initialize(settings)), _seconds(lambda: bare(shape)))
            for _ in range(turns)
        ]
        sweep(depths)
        bare_sweep(depths)
        sweeps = [
            (_seconds(lambda: sweep(depths)), _seconds(lambda: bare_sweep(depths)))
            for _ in range(turns)
        ]
    finally:
        torch.set_num_threads(threads)
    labels = catalog.lesson("initialization").labels
    words = Words({name: text.said(catalog.Language.EN) for name, text in labels.items()})
    picture = figures.values(report, LIGHT, words).to_json()
    return {
        "histogram_s": statistics.median(ours for ours, _ in pairs),
        "histogram_in_bare_torch_s": statistics.median(theirs for _, theirs in pairs),
        "histogram_over_bare_torch_ratio": statistics.median(ours / bare for ours, bare in pairs),
        "report_kb": len(pickle.dumps(report)) / KILOBYTE,
        "picture_kb": len(picture.encode()) / KILOBYTE,
        "depth_sweep_s": statistics.median(ours for ours, _ in sweeps),
        "depth_sweep_in_bare_torch_s": statistics.median(theirs for _, theirs in sweeps),
        "depth_sweep_over_bare_torch_ratio": statistics.median(
            ours / bare for ours, bare in sweeps
        ),
    }


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
        signal_through_depth(
            SignalThroughDepth(depth=depth, width=WIDTH, initializer=Scheme.KAIMING_NORMAL)
        )


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
