"""Programs that time copies."""

from playground.lessons.timing.records import MeasureBandwidth, SplitCopy
from playground.lessons.timing.source.products import WAIT

WAYS = """\
def both_sides(device, way, size):
    host = torch.ones(size, dtype=torch.uint8)
    if "pinned" in way:
        host = host.pin_memory()
    there = torch.zeros(size, dtype=torch.uint8, device=device)
    return (there, host) if way.startswith("device") else (host, there)


def take_times(device, copy, repeats):
    copy()  # warm-up
    wait_for(device)
    taken = []
    for _ in range(repeats):
        begin = time.perf_counter()
        copy()
        wait_for(device)
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


ways = [("cpu", "host_to_host")]
for i in range(torch.cuda.device_count()):
    ways += [(f"cuda:{i}", way) for way in GPU_WAYS]
"""


def _begin(gpu_ways: str) -> str:
    ways = WAYS.replace("GPU_WAYS", gpu_ways)
    return f"""\
import statistics
import time

import torch


{WAIT}

{ways}"""


def measure_bandwidth(settings: MeasureBandwidth) -> str:
    """Time copies of growing size, within the host and to and from every GPU."""
    sizes = ", ".join(map(str, settings.sizes_bytes))
    both = """(
        "host_to_device", "pinned_to_device", "device_to_host", "device_to_pinned"
    )"""
    return f"""\
{_begin(both)}
result = []
for device, way in ways:
    for size in [{sizes}]:
        source, target = both_sides(device, way, size)
        seconds = take_times(device, lambda: target.copy_(source), {settings.REPEATS})
        print(device, way, size, seconds, size / seconds / 1e9, "GB/s")
        result.append((device, way, size))
        del source, target
"""


def split_copy(settings: SplitCopy) -> str:
    """Time the same bytes in one copy and in many."""
    return f"""\
{_begin('("host_to_device", "pinned_to_device")')}

def copy_all(targets, sources):
    for target, source in zip(targets, sources):
        target.copy_(source)


result = []
for device, way in ways:
    source, target = both_sides(device, way, {settings.size_bytes})
    for pieces in (1, {settings.pieces}):
        sources, targets = source.chunk(pieces), target.chunk(pieces)
        seconds = take_times(device, lambda: copy_all(targets, sources), {settings.REPEATS})
        print(device, way, pieces, seconds)
        result.append((device, way, len(sources)))
"""
