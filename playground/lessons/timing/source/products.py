"""Programs that time matrix products."""

from playground.lessons.timing.records import CompareClocks, MatmulSweep

DEVICES = 'devices = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]'
WAIT = """\
def wait_for(device):
    if device != "cpu":
        torch.cuda.synchronize(device)  # the GPU works on while Python goes on
"""


def matmul_sweep(settings: MatmulSweep) -> str:
    """Time products of growing size; leave a line where its next size would take too long."""
    sizes = ", ".join(map(str, settings.sizes))
    dtypes = ", ".join(f"torch.{dtype}" for dtype in settings.dtypes)
    threads = "" if settings.all_threads else "torch.set_num_threads(1)\n"
    return f"""\
import statistics
import time

import torch

{threads}{DEVICES}


{WAIT}

def time_product(device, dtype, size, repeats):
    A = torch.rand(size, size, device=device).to(dtype)
    B = torch.rand(size, size, device=device).to(dtype)
    A @ B  # warm-up
    wait_for(device)
    taken = []
    for _ in range(repeats):
        begin = time.perf_counter()
        A @ B
        wait_for(device)
        taken.append(time.perf_counter() - begin)
    return taken


result = []
for device in devices:
    for dtype in [{dtypes}]:
        before, seconds = 64, statistics.median(time_product(device, dtype, 64, 3))
        for size in [{sizes}]:
            expected = seconds * max(1, (size / before) ** 3)
            if 3 * expected > {settings.PRODUCT_SECONDS}:
                break  # it would take too long
            repeats = max(3, min({settings.repeats}, int({settings.POINT_SECONDS} / expected)))
            before, seconds = size, statistics.median(time_product(device, dtype, size, repeats))
            print(device, dtype, size, seconds, 2 * size**3 / seconds / 1e9, "GFLOP/s")
            result.append((device, str(dtype), size))
"""


def compare_clocks(settings: CompareClocks) -> str:
    """Time one product in four ways."""
    return f"""\
import statistics
import time

import torch
from torch.utils import benchmark

torch.set_num_threads(1)
{DEVICES}


{WAIT}

def take_time(device, A, B, waits):
    wait_for(device)
    begin = time.perf_counter()
    A @ B
    if waits:
        wait_for(device)
    return time.perf_counter() - begin


times = {{}}
for device in devices:
    A = torch.rand({settings.size}, {settings.size}, device=device)
    B = torch.rand({settings.size}, {settings.size}, device=device)
    times[device, "first"] = take_time(device, A, B, waits=True)
    naive, synchronised = [], []
    for _ in range({settings.REPEATS}):
        naive.append(take_time(device, A, B, waits=False))
        synchronised.append(take_time(device, A, B, waits=True))
    times[device, "naive"] = statistics.median(naive)
    times[device, "synchronised"] = statistics.median(synchronised)
    timer = benchmark.Timer("A @ B", globals={{"A": A, "B": B}}, num_threads=1)
    measured = timer.blocked_autorange(min_run_time={settings.BENCHMARK_SECONDS})
    times[device, "benchmark"] = measured.median

for name, seconds in times.items():
    print(*name, seconds)
result = tuple(times)
"""
