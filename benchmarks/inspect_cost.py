"""Cost of inspecting a file against loading it: with torch.load, and with safetensors.

The three take the same weights in turn in one process; a figure is the median over the turns. Run
it with ``python -m benchmarks.inspect_cost``.
"""

import io
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterable

import safetensors.torch
import torch

from playground.checkpoints.inspect import inspect

TURNS = 11


def weights() -> dict[str, torch.Tensor]:
    """20 MB in 5 matrices: just under the largest file that is taken."""
    generator = torch.Generator().manual_seed(0)
    return {f"layers.{n}.weight": torch.randn(1000, 1000, generator=generator) for n in range(5)}


def many_weights() -> dict[str, torch.Tensor]:
    """As many tensors as a zip may have entries for, of one number each."""
    return {f"layers.{n}.bias": torch.ones(1) for n in range(1900)}


def torch_file(tensors: dict[str, torch.Tensor]) -> bytes:
    """Their bytes as torch.save writes them."""
    target = io.BytesIO()
    torch.save(tensors, target)
    return target.getvalue()


def load_torch(data: bytes) -> object:
    """Read the tensors without letting the pickle call anything else."""
    return torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")


FILES: dict[str, tuple[Callable[[], bytes], Callable[[bytes], object]]] = {
    "torch_20_MB": (lambda: torch_file(weights()), load_torch),
    "safetensors_20_MB": (lambda: safetensors.torch.save(weights()), safetensors.torch.load),
    "torch_1900_tensors": (lambda: torch_file(many_weights()), load_torch),
    "safetensors_1900_tensors": (
        lambda: safetensors.torch.save(many_weights()),
        safetensors.torch.load,
    ),
}


def measure(turns: int = TURNS, names: Iterable[str] = FILES) -> dict[str, float]:
    """Take all figures.

    Args:
        turns: How often each file is inspected and loaded.
        names: Of which files.

    Returns:
        Per file the inspector's time and the library's, ``*_ms``, the ratio of both, and the
        memory that the inspection takes, ``*_mib``.
    """
    figures: dict[str, float] = {}
    for name in names:
        make, load = FILES[name]
        found = _compared(make(), load, turns)
        figures |= {f"{name}_{key}": value for key, value in found.items()}
    return figures


def _compared(data: bytes, load: Callable[[bytes], object], turns: int) -> dict[str, float]:
    ours, theirs = [], []
    for _ in range(turns + 1):
        ours.append(_seconds(lambda: inspect(data, "weights")))
        theirs.append(_seconds(lambda: load(data)))
    inspected = statistics.median(ours[1:])  # the first finds caches cold
    loaded = statistics.median(theirs[1:])
    return {
        "inspected_ms": inspected * 1e3,
        "loaded_ms": loaded * 1e3,
        "inspected_over_loaded_ratio": inspected / loaded,
        "inspection_memory_mib": _peak_bytes(data) / 2**20,
    }


def _peak_bytes(data: bytes) -> int:
    tracemalloc.start()
    try:
        found = inspect(data, "weights")
        if not found.accepted:
            raise RuntimeError(found.reason)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _seconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def main() -> None:
    """Print the figures, one to a line."""
    for name, value in measure().items():
        print(f"{name:56}{value:10.3f}")


if __name__ == "__main__":
    main()
