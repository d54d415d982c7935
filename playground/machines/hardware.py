"""A computer's hardware as plain data, and as text for a bug report.

An absent reading is None, never 0. This module loads no torch.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from playground.machines.machine import DeviceName
from playground.units import format_bytes

ABSENT = "N/A"


@unique
class AcceleratorKind(StrEnum):
    """The kind of an accelerator; PyTorch calls the first three ``cuda``."""

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
        device: PyTorch's name of it, e.g. ``"cuda:0"``; None if this PyTorch cannot use it.
        physical_index: Its index in nvidia-smi, which sorts by PCI bus.
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
        accelerator_type: The type that ``torch.accelerator`` reports, e.g. ``"cuda"``.
        cores: Physical cores; ``threads`` counts the CPUs of the operating system.
        accelerators: In PyTorch's order, followed by those that only the driver sees.
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


def format_inventory(inventory: Inventory) -> str:
    """Format an inventory: a line per reading, then a block per accelerator."""
    lines = [
        f"PyTorch:            {inventory.torch_version}",
        f"CUDA build:         {_text(inventory.cuda_build)}",
        f"ROCm build:         {_text(inventory.hip_build)}",
        f"XPU build:          {_text(inventory.xpu_build)}",
        f"cuDNN:              {_text(inventory.cudnn_version)}",
        f"Python:             {inventory.python_version}",
        f"OS:                 {inventory.operating_system}",
        f"NVIDIA driver:      {_text(inventory.driver_version)}",
        f"Driver's CUDA:      {_text(inventory.driver_cuda_version)}",
        f"CPU:                {_text(inventory.processor)}",
        f"CPU capability:     {_text(inventory.vector_instructions)}",
        f"Cores, threads:     {_text(inventory.cores)}, {_text(inventory.threads)}",
        f"PyTorch threads:    {_text(inventory.torch_threads)}",
        f"RAM:                {_size(inventory.memory_total_bytes)}, "
        f"{_size(inventory.memory_available_bytes)} available",
        f"Accelerator:        {_text(inventory.accelerator_type)}, "
        f"available: {inventory.accelerator_is_available}, count: {inventory.accelerator_count}",
    ]
    for accelerator in inventory.accelerators:
        lines += ["", *_accelerator_lines(accelerator)]
    return "\n".join(lines) + "\n"


def _accelerator_lines(accelerator: Accelerator) -> tuple[str, ...]:
    used = _size(accelerator.memory_used_bytes)
    free = _size(accelerator.memory_free_bytes)
    return (
        f"{accelerator.device or 'not usable by this PyTorch'}: {_text(accelerator.name)}",
        f"  kind:             {accelerator.kind}",
        f"  nvidia-smi index: {_text(accelerator.physical_index)}",
        f"  UUID:             {_text(accelerator.uuid)}",
        f"  PCI bus:          {_text(accelerator.pci_bus_id)}",
        f"  memory:           {_size(accelerator.memory_total_bytes)}, {used} used, {free} free",
        f"  capability:       {_text(accelerator.compute_capability or accelerator.architecture)}",
        f"  multiprocessors:  {_text(accelerator.multiprocessors)}",
        f"  temperature:      {_text(accelerator.temperature_celsius, ' °C')}",
        f"  utilisation:      {_text(accelerator.utilisation_percent, ' %')}",
        f"  power:            {_text(accelerator.power_watts, ' W')} "
        f"of {_text(accelerator.power_limit_watts, ' W')}",
    )


def _text(value: object, unit: str = "") -> str:
    return ABSENT if value is None else f"{value}{unit}"


def _size(size_bytes: int | None) -> str:
    return ABSENT if size_bytes is None else format_bytes(size_bytes)
