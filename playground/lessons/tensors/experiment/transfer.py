"""Pinned memory, and measured copies to a real GPU; a simulated one has no time to measure."""

import statistics
import time
from collections.abc import Callable

import torch

from playground.compute.outcome import attempt
from playground.lessons.tensors.records import (
    MeasureTransfer,
    MeasureTransferReport,
    PinTensor,
    PinTensorReport,
    Transfer,
    TransferKind,
)
from playground.machines.host import running_on


def pin_tensor(settings: PinTensor) -> PinTensorReport:
    """Ask for a copy of a tensor in page-locked host memory."""
    with running_on(settings.machine):
        x, outcome = attempt(lambda: torch.ones(2, 3, device=settings.device))
        pinned = None
        if x is not None:
            pinned, outcome = attempt(x.pin_memory)
        return PinTensorReport(
            device=settings.device,
            x_device=None if x is None else str(x.device),
            is_pinned=None if pinned is None else pinned.is_pinned(),
            outcome=outcome,
        )


def measure_transfer(settings: MeasureTransfer) -> MeasureTransferReport:
    """Time three kinds of copy to a real GPU; on any other machine, measure nothing."""
    with running_on(settings.machine):
        is_real = not settings.machine.is_simulated and torch.cuda.is_available()
        is_measured = is_real and settings.target != "cpu"
        return MeasureTransferReport(
            target=settings.target,
            size_bytes=settings.size_bytes,
            repeats=settings.REPEATS,
            transfers=_time_all(settings) if is_measured else (),
        )


def _time_all(settings: MeasureTransfer) -> tuple[Transfer, ...]:
    pageable = torch.ones(settings.size_bytes, dtype=torch.uint8)
    pinned = pageable.pin_memory()
    copies: dict[TransferKind, Callable[[], torch.Tensor]] = {
        TransferKind.PAGEABLE: lambda: pageable.to(settings.target),
        TransferKind.PINNED: lambda: pinned.to(settings.target),
        TransferKind.PINNED_NON_BLOCKING: lambda: pinned.to(settings.target, non_blocking=True),
    }
    return tuple(_time(kind, copy, settings) for kind, copy in copies.items())


def _time(
    kind: TransferKind, copy: Callable[[], torch.Tensor], settings: MeasureTransfer
) -> Transfer:
    returned, done = [], []
    copy()  # warm-up: the first copy also reserves memory on the GPU
    for _ in range(settings.REPEATS):
        torch.cuda.synchronize(settings.target)
        begin = time.perf_counter()
        arrived = copy()
        returned.append(time.perf_counter() - begin)
        torch.cuda.synchronize(settings.target)
        done.append(time.perf_counter() - begin)
        del arrived  # its memory is taken again by the next copy
    return Transfer(
        kind=kind,
        returned_seconds=statistics.median(returned),
        done_seconds=statistics.median(done),
    )
