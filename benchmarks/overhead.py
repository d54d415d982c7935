"""What workers add to torch, simulated devices to an operation, the Trainer to a plain loop."""

import importlib
from collections.abc import Mapping

from benchmarks.effort import Effort
from benchmarks.figure import Budget, Figure, Judged, Section
from benchmarks.sample import Sample
from benchmarks.server import Apps

SOURCES = {
    "compute": "workers",
    "simulated": "simulated devices",
    "trainer": "training and streaming",
}
UNITS = {"ms": "ms", "s": "s", "us": "µs", "mib": "MB", "ratio": "×"}
BUDGETS = {"compute.overhead_median_ms": Budget(judged=Judged.MEDIAN, most=10.0)}
HOW = (
    "No browser: `benchmarks/compute_overhead.py` runs a small experiment in a worker, uncached,"
    " in turn with the same call in one process; `benchmarks/simulated_overhead.py` runs operations"
    " on simulated devices and on the CPU; `benchmarks/trainer_overhead.py` trains with the Trainer"
    " and with a plain loop, silently and streaming. Each can be run alone."
)


def measure(_effort: Effort, _apps: Apps) -> Section:
    """Ask both for their figures."""
    return Section(
        title="Experiments",
        how=HOW,
        figures=tuple(
            figure
            for source, words in SOURCES.items()
            for figure in figures(source, words, _measured(f"benchmarks.{source}_overhead"))
        ),
    )


def figures(source: str, words: str, found: Mapping[str, float]) -> list[Figure]:
    """Name and unit of each number are in its key, as in ``"boot_s"``."""
    rows = []
    for key, value in found.items():
        name, _, suffix = key.rpartition("_")
        unit = UNITS.get(suffix)
        rows.append(
            Figure(
                id=f"{source}.{key}",
                what=f"{words}: {(name if unit else key).replace('_', ' ')}",
                unit=unit or "",
                sample=Sample((float(value),)),
                budget=BUDGETS.get(f"{source}.{key}"),
            )
        )
    return rows


def _measured(module: str) -> Mapping[str, float]:
    return flat(importlib.import_module(module).measure())


def flat(found: Mapping[str, object]) -> dict[str, float]:
    """Name the figures of a table within a table by both: ``{"add": {"ratio": 9}}``.

    >>> flat({"boot_s": 1, "add": {"ratio": 9.0}})
    {'boot_s': 1.0, 'add_ratio': 9.0}
    """
    figures: dict[str, float] = {}
    for key, value in found.items():
        if isinstance(value, Mapping):
            figures |= {f"{key}_{inner}": number for inner, number in flat(value).items()}
        else:
            figures[key] = float(str(value))
    return figures
