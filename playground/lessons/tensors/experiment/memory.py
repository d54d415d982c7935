"""What tensors take, and what a device says when it has no more.

Tensors here are asked for with ``torch.empty`` and never written, so that a simulated GPU's memory
costs the host no more than a promise: operating systems give memory when it is first touched.
"""

from collections.abc import Sequence

import torch

from playground.compute.outcome import Outcome, attempt
from playground.lessons.tensors.experiment.scenes import all_devices, total_bytes
from playground.lessons.tensors.records import (
    DeviceMemory,
    FillMemory,
    FillMemoryReport,
    MeasureTensor,
    MeasureTensorReport,
)
from playground.machines import DeviceName, Machine
from playground.machines.host import running_on


def measure_tensor(settings: MeasureTensor) -> MeasureTensorReport:
    """Make a tensor, and read the memory of every device while it is there."""
    dtype = getattr(torch, settings.dtype)
    with running_on(settings.machine):
        x, outcome = attempt(
            lambda: torch.empty(
                settings.rows, settings.columns, dtype=dtype, device=settings.device
            )
        )
        return MeasureTensorReport(
            device=settings.device,
            rows=settings.rows,
            columns=settings.columns,
            dtype=settings.dtype,
            element_bytes=None if x is None else x.element_size(),
            size_bytes=None if x is None else x.nbytes,
            memory=_read_memory(settings.machine, [] if x is None else [x]),
            outcome=outcome,
        )


def fill_memory(settings: FillMemory) -> FillMemoryReport:
    """Ask for tensors of one size until all are there, or torch refuses one."""
    with running_on(settings.machine):
        held: list[torch.Tensor] = []
        outcome = Outcome(ok=True)
        while outcome.ok and len(held) < settings.pieces:
            piece, outcome = attempt(
                lambda: torch.empty(settings.piece_bytes, dtype=torch.uint8, device=settings.device)
            )
            if piece is not None:
                held.append(piece)
        return FillMemoryReport(
            device=settings.device,
            piece_bytes=settings.piece_bytes,
            pieces=settings.pieces,
            fitted=len(held),
            memory=_read_memory(settings.machine, held),
            outcome=outcome,
        )


def _read_memory(machine: Machine, held: Sequence[torch.Tensor]) -> tuple[DeviceMemory, ...]:
    on_host = total_bytes(tensor for tensor in held if tensor.device.type == "cpu")
    host = DeviceMemory(device="cpu", is_simulated=False, used_bytes=on_host)
    return (host, *(_read_gpu(machine, device) for device in all_devices()[1:]))


def _read_gpu(machine: Machine, device: DeviceName) -> DeviceMemory:
    free_bytes, total_bytes_there = torch.cuda.mem_get_info(device)
    return DeviceMemory(
        device=device,
        is_simulated=machine.is_simulated,
        used_bytes=torch.cuda.memory_allocated(device),
        reserved_bytes=torch.cuda.memory_reserved(device),
        total_bytes=total_bytes_there,
        free_bytes=free_bytes,
    )
