"""Where the curve of a GPU crosses that of the CPU."""

import math
from dataclasses import dataclass

from playground.lessons.timing.records.choices import DataType
from playground.lessons.timing.records.products import MatmulPoint
from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossover:
    """Where a GPU begins to be faster than the CPU.

    Attributes:
        slower_at: The largest size at which the GPU was slower; None where it never was.
        faster_at: The next size, from which on the GPU stayed faster.
        size: Where straight lines between the two cross, on logarithmic axes.
        seconds: The time there.
    """

    device: DeviceName
    dtype: DataType
    slower_at: int | None
    faster_at: int
    size: float
    seconds: float


def crossover(cpu: tuple[MatmulPoint, ...], gpu: tuple[MatmulPoint, ...]) -> Crossover | None:
    """Look from the largest size down: below the crossover the GPU may win by chance."""
    times = {point.size: point.median_seconds for point in cpu}
    pairs = [
        (each.size, times[each.size], each.median_seconds) for each in gpu if each.size in times
    ]
    faster = None
    for size, on_cpu, on_gpu in reversed(pairs):
        if on_gpu >= on_cpu:
            break
        faster = size
    if faster is None:
        return None
    index = [size for size, _, _ in pairs].index(faster)
    before = pairs[index - 1] if index else None
    crossing = _cross(before or pairs[index], pairs[index])
    return Crossover(
        device=gpu[0].device,
        dtype=gpu[0].dtype,
        slower_at=before[0] if before else None,
        faster_at=faster,
        size=crossing[0],
        seconds=crossing[1],
    )


def _cross(
    before: tuple[int, float, float], after: tuple[int, float, float]
) -> tuple[float, float]:
    """Where two lines meet that are straight on logarithmic axes."""
    if before == after:
        return after[0], after[2]
    lead_before = math.log(before[2] / before[1])
    lead_after = math.log(after[2] / after[1])
    part = lead_before / (lead_before - lead_after)
    size = before[0] * (after[0] / before[0]) ** part
    return size, before[1] * (after[1] / before[1]) ** part


def described(each: Crossover) -> str:
    """In words: the GPU, the dtype, and between which sizes."""
    begin = "≤" if each.slower_at is None else f"{each.slower_at} –"
    return f"{each.device}, {each.dtype.value}: {begin} {each.faster_at}"
