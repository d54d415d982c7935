"""Programs about what tensors take: bytes, devices, pinned pages, time."""

from playground.lessons.tensors.records import (
    FillMemory,
    MeasureTensor,
    MeasureTransfer,
    PinTensor,
)


def pin_tensor(settings: PinTensor) -> str:
    """Ask for a copy in page-locked memory."""
    return f"""\
import torch

x = torch.ones(2, 3, device="{settings.device}")
pinned = x.pin_memory()

result = pinned.is_pinned()
"""


def measure_transfer(settings: MeasureTransfer) -> str:
    """Time copies to a GPU: pageable, pinned, and without waiting."""
    return f"""\
import statistics
import time

import torch

device = "{settings.target}"
pageable = torch.ones({settings.size_bytes}, dtype=torch.uint8)
pinned = pageable.pin_memory()
copies = {{
    "pageable": lambda: pageable.to(device),
    "pinned": lambda: pinned.to(device),
    "pinned_non_blocking": lambda: pinned.to(device, non_blocking=True),
}}
for name, copy in copies.items():
    copy()  # warm-up
    returned, done = [], []
    for _ in range({settings.REPEATS}):
        torch.cuda.synchronize(device)
        begin = time.perf_counter()
        arrived = copy()
        returned.append(time.perf_counter() - begin)  # Python goes on here
        torch.cuda.synchronize(device)
        done.append(time.perf_counter() - begin)  # the bytes are there
        del arrived
    print(name, statistics.median(returned), statistics.median(done))

result = tuple(copies)
"""


def measure_tensor(settings: MeasureTensor) -> str:
    """Make a tensor and count its bytes."""
    return f"""\
import torch

x = torch.empty(
    {settings.rows}, {settings.columns}, dtype=torch.{settings.dtype}, device="{settings.device}"
)
for index in range(torch.cuda.device_count()):
    free, total = torch.cuda.mem_get_info(index)
    print(index, torch.cuda.memory_allocated(index), free, total)

result = x.numel() * x.element_size()
"""


def fill_memory(settings: FillMemory) -> str:
    """Ask for tensors of one size until all are there."""
    return f"""\
import torch

held = []
for _ in range({settings.pieces}):
    held.append(
        torch.empty({settings.piece_bytes}, dtype=torch.uint8, device="{settings.device}")
    )

result = len(held)
"""
