"""Cost of loading a file in the jail, from the upload to the checked report.

The same weights as in ``inspect_cost``. Run it with ``python -m benchmarks.jail_cost``.
"""

import statistics
import time

from benchmarks.inspect_cost import FILES
from playground.checkpoints.load import load
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.sandbox import jail

TURNS = 5
SQUARE = Layer.of("Linear", in_features=1000, out_features=1000, bias=False)
NETWORK = Network(Block([SQUARE] * 5), InputSpec((2, 1000)))


def measure(turns: int = TURNS) -> dict[str, float]:
    """Take all figures; none where the jail does not hold.

    Returns:
        Per file the whole time, ``*_loaded_ms``; of the first also with a network of five
        matrices built and loaded twice beside it.
    """
    if not jail.preflight():
        return {}
    figures = {}
    for place, (name, (make, _)) in enumerate(FILES.items()):
        data = make()
        figures[f"{name}_loaded_ms"] = _median_ms(data, None, turns)
        if place == 0:
            figures[f"{name}_loaded_with_network_ms"] = _median_ms(data, NETWORK, turns)
    jail.stop()
    return figures


def _median_ms(data: bytes, network: Network | None, turns: int) -> float:
    taken = []
    for _ in range(turns + 1):
        started = time.perf_counter()
        report = load(data, "weights", network=network)
        taken.append(time.perf_counter() - started)
        if not report.accepted:
            raise RuntimeError(report.reason)
    return statistics.median(taken[1:]) * 1e3


def main() -> None:
    """Print the figures, one to a line."""
    for name, value in measure().items():
        print(f"{name:56}{value:10.3f}")


if __name__ == "__main__":
    main()
