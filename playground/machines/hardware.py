"""What a computer has, as plain data; an absent reading is None, never 0. Knows no torch."""

from dataclasses import dataclass
from enum import StrEnum, unique

from playground.machines.machine import DeviceName


@unique
class AcceleratorKind(StrEnum):
    """What an accelerator is; PyTorch calls the first three ``cuda``."""

    CUDA = "cuda"
    MIG = "mig"  # a slice of an NVIDIA GPU
    ROCM = "rocm"
    XPU = "xpu"
    MPS = "mps"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One accelerator.

    Attributes:
        device: What PyTorch calls it, e.g. ``"cuda:0"``; None where this PyTorch cannot use it.
        physical_index: Its place in nvidia-smi, which counts by PCI bus.
        architecture: AMD's name of the chip, e.g. ``"gfx942"``.
        compute_capability: NVIDIA's, e.g. ``"9.0"``.
    """

    kind: AcceleratorKind
    device: DeviceName | None = None
    physical_index: int | None = None
    name: str | None = None
    uuid: str | None = None
    pci_bus_id: str | None = None
    architecture: str | None = None
    compute_capability: str | None = None
    multiprocessors: int | None = None
    memory_total_bytes: int | None = None
    memory_used_bytes: int | None = None
    memory_free_bytes: int | None = None
    temperature_celsius: int | None = None
    utilisation_percent: int | None = None
    power_watts: float | None = None
    power_limit_watts: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """A computer and the PyTorch on it.

    Attributes:
        cuda_build: The CUDA version this PyTorch was built with; None in a build without CUDA.
        hip_build: The same for AMD's ROCm, ``xpu_build`` for Intel's.
        cudnn_version: As PyTorch writes it, e.g. 91002.
        driver_cuda_version: The newest CUDA that the NVIDIA driver understands.
        accelerator_type: ``torch.accelerator``'s answer, e.g. ``"cuda"``.
        cores: Physical ones; ``threads`` counts what the operating system calls CPUs.
        accelerators: In PyTorch's order, then those that only the driver sees.
    """

    torch_version: str
    python_version: str
    operating_system: str
    cuda_build: str | None = None
    hip_build: str | None = None
    xpu_build: str | None = None
    cudnn_version: int | None = None
    driver_version: str | None = None
    driver_cuda_version: str | None = None
    processor: str | None = None
    vector_instructions: str | None = None
    cores: int | None = None
    threads: int | None = None
    torch_threads: int | None = None
    memory_total_bytes: int | None = None
    memory_available_bytes: int | None = None
    accelerator_is_available: bool = False
    accelerator_type: str | None = None
    accelerator_count: int = 0
    accelerators: tuple[Accelerator, ...] = ()
