"""The accelerators as PyTorch sees them; on a simulated machine, the simulated ones."""

from collections.abc import Callable
from typing import TypeVar

import torch

from playground.machines.hardware import Accelerator, AcceleratorKind

T = TypeVar("T")


def read_torch_devices(*, asks_memory: bool = True) -> tuple[Accelerator, ...]:
    """Read every accelerator that this PyTorch can use, in PyTorch's order.

    Args:
        asks_memory: Ask CUDA for used memory too. That opens a context on every GPU, some hundred
            MiB each, so leave it to the driver where there is one.
    """
    kind = accelerator_type()
    if kind == "mps":
        return (_read_mps(),)
    count = reading(torch.accelerator.device_count) or 0
    if kind == "cuda":
        return tuple(_read_cuda(index, asks_memory=asks_memory) for index in range(count))
    if kind == "xpu":
        return tuple(_read_xpu(index) for index in range(count))
    return tuple(
        Accelerator(kind=AcceleratorKind.OTHER, device=f"{kind}:{index}") for index in range(count)
    )


def accelerator_type() -> str | None:
    """Name the kind of accelerator that PyTorch can use now; None where there is none."""
    if not reading(torch.accelerator.is_available):
        return None
    accelerator = reading(torch.accelerator.current_accelerator)
    return accelerator.type if accelerator else None


def reading(question: Callable[[], T]) -> T | None:
    """Put one question; what the driver does not give is None, whatever it raises."""
    try:
        return question()
    except Exception:  # noqa: BLE001 - backends refuse with any type; a missing sensor is no error
        return None


def _read_cuda(index: int, *, asks_memory: bool) -> Accelerator:
    properties = reading(lambda: torch.cuda.get_device_properties(index))
    memory = reading(lambda: torch.cuda.mem_get_info(index)) if asks_memory else None
    capability = reading(lambda: torch.cuda.get_device_capability(index))
    name = reading(lambda: torch.cuda.get_device_name(index))
    is_rocm = torch.version.hip is not None
    total = memory[1] if memory else getattr(properties, "total_memory", None)
    return Accelerator(
        kind=_cuda_kind(name or ""),
        device=f"cuda:{index}",
        name=name,
        uuid=_uuid(getattr(properties, "uuid", None)),
        architecture=getattr(properties, "gcnArchName", None) if is_rocm else None,
        compute_capability=f"{capability[0]}.{capability[1]}" if capability else None,
        multiprocessors=reading(lambda: getattr(properties, "multi_processor_count", None)),
        memory_total_bytes=total,
        memory_used_bytes=memory[1] - memory[0] if memory else None,
        memory_free_bytes=memory[0] if memory else None,
    )


def _cuda_kind(name: str) -> AcceleratorKind:
    if torch.version.hip is not None:
        return AcceleratorKind.ROCM
    return AcceleratorKind.MIG if " MIG " in name else AcceleratorKind.CUDA


def _uuid(uuid: object) -> str | None:
    """Write a UUID as nvidia-smi does; torch leaves the prefix away."""
    written = "" if uuid is None else str(uuid)
    if not written:
        return None
    return written if written.startswith(("GPU-", "MIG-")) else f"GPU-{written}"


def _read_xpu(index: int) -> Accelerator:
    properties = reading(lambda: torch.xpu.get_device_properties(index))
    memory = reading(lambda: torch.xpu.mem_get_info(index))
    return Accelerator(
        kind=AcceleratorKind.XPU,
        device=f"xpu:{index}",
        name=getattr(properties, "name", None),
        multiprocessors=getattr(properties, "max_compute_units", None),
        memory_total_bytes=memory[1] if memory else getattr(properties, "total_memory", None),
        memory_used_bytes=memory[1] - memory[0] if memory else None,
        memory_free_bytes=memory[0] if memory else None,
    )


def _read_mps() -> Accelerator:
    """Read Apple's GPU, which shares the computer's memory: the total is what it may use."""
    return Accelerator(
        kind=AcceleratorKind.MPS,
        device="mps:0",
        memory_total_bytes=reading(torch.mps.recommended_max_memory),
        memory_used_bytes=reading(torch.mps.driver_allocated_memory),
    )
