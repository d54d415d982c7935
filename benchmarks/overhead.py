"""Overhead of our own machinery over plain torch, or over torchinfo."""

import gc
import importlib
from collections.abc import Mapping

from benchmarks.measurement import Budget, Measurement, Section, Statistic
from benchmarks.plan import Plan
from benchmarks.sample import Sample
from benchmarks.server import Apps

SOURCES = {
    "compute_overhead": "workers",
    "simulated_overhead": "simulated devices",
    "trainer_overhead": "training and streaming",
    "trace_cost": "traces",
    "builder_cost": "the network builder",
    "initialization_cost": "initialisers",
    "inspect_cost": "files",
    "jail_cost": "files in the jail",
    "sandbox_cost": "the lab",
    "ray_cost": "a Ray cluster",
}
TRACED = (
    *("one layer", "mlp", "cnn", "lstm", "transformer encoder", "residual blocks"),
    *("thousand layers", "large layers"),
)
UNITS = {"ms": "ms", "s": "s", "us": "µs", "mib": "MB", "kb": "kB", "ratio": "×"}
INSPECTED = ("torch_20_MB", "safetensors_20_MB", "torch_1900_tensors", "safetensors_1900_tensors")
NO_SLOWER = Budget(statistic=Statistic.MEDIAN, limit=1.0)
BUDGETS = {
    "compute.overhead_median_ms": Budget(statistic=Statistic.MEDIAN, limit=10.0),
    "trace.median_over_torchinfo_ratio": NO_SLOWER,
    "builder.edit_of_60_layers_ms": Budget(statistic=Statistic.MEDIAN, limit=100.0),
    "builder.edit_of_60_layers_kb": Budget(statistic=Statistic.MEDIAN, limit=10.0),
    "builder.script_kb": Budget(statistic=Statistic.MEDIAN, limit=400.0),
    "sandbox.small_median_ms": Budget(statistic=Statistic.MEDIAN, limit=30.0),
    "sandbox.small_p95_ms": Budget(statistic=Statistic.MEDIAN, limit=100.0),
    "sandbox.figure_median_ms": Budget(statistic=Statistic.MEDIAN, limit=250.0),
    "sandbox.first_line_median_ms": Budget(statistic=Statistic.MEDIAN, limit=60.0),
    "initialization.histogram_s": Budget(statistic=Statistic.MEDIAN, limit=1.0),
    "initialization.picture_kb": Budget(statistic=Statistic.MEDIAN, limit=10.0),
    **{
        f"inspect.{name}_inspected_ms": Budget(statistic=Statistic.MEDIAN, limit=1000.0)
        for name in INSPECTED
    },
    **{
        f"inspect.{name}_inspection_memory_mib": Budget(statistic=Statistic.MEDIAN, limit=20.0)
        for name in INSPECTED
    },
    **{f"trace.{name}_over_torchinfo_ratio": NO_SLOWER for name in TRACED},
}
HOW = (
    "No browser: `benchmarks/compute_overhead.py` runs a small experiment in a worker, uncached,"
    " in turn with the same call in one process; `benchmarks/simulated_overhead.py` runs operations"
    " on simulated devices and on the CPU; `benchmarks/trainer_overhead.py` trains with the Trainer"
    " and with a plain loop, silently and streaming; `benchmarks/trace_cost.py` traces networks in"
    " turn with `torchinfo.summary`; `benchmarks/builder_cost.py` edits a network of 60 layers;"
    " `benchmarks/initialization_cost.py` fills and describes ten"
    " million values, and sends signals through deep networks, in turn with bare torch;"
    " `benchmarks/inspect_cost.py` inspects files in turn with `torch.load` and safetensors;"
    " `benchmarks/jail_cost.py` loads the same files in the jail;"
    " `benchmarks/sandbox_cost.py` runs a student's small program, alone and twenty at once;"
    " `benchmarks/ray_cost.py` runs a small experiment on a Ray cluster of this computer, in turn"
    " with a worker of it."
    " Each can be run alone."
)


def measure(_effort: Plan, _apps: Apps) -> Section:
    """Ask each for its figures."""
    return Section(
        title="Experiments",
        how=HOW,
        figures=tuple(
            figure
            for source, words in SOURCES.items()
            for figure in figures(
                source.partition("_")[0], words, _measured(f"benchmarks.{source}")
            )
        ),
    )


def figures(source: str, words: str, found: Mapping[str, float]) -> list[Measurement]:
    """Name and unit of each number are in its key, as in ``"boot_s"``."""
    rows = []
    for key, value in found.items():
        name, _, suffix = key.rpartition("_")
        unit = UNITS.get(suffix)
        rows.append(
            Measurement(
                id=f"{source}.{key}",
                what=f"{words}: {(name if unit else key).replace('_', ' ')}",
                unit=unit or "",
                sample=Sample((float(value),)),
                budget=BUDGETS.get(f"{source}.{key}"),
            )
        )
    return rows


def _measured(module: str) -> Mapping[str, float]:
    gc.collect()
    gc.freeze()  # the collector stops no figure for what other parts have left
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
