"""An inventory as text fit for a bug report; English, like the reports it goes into."""

from playground.machines.hardware import Accelerator, Inventory
from playground.units import format_bytes

ABSENT = "N/A"


def as_text(inventory: Inventory) -> str:
    """Write one line per reading, then a block per accelerator; absent readings are N/A."""
    lines = [
        f"PyTorch:            {inventory.torch_version}",
        f"CUDA build:         {_said(inventory.cuda_build)}",
        f"ROCm build:         {_said(inventory.hip_build)}",
        f"XPU build:          {_said(inventory.xpu_build)}",
        f"cuDNN:              {_said(inventory.cudnn_version)}",
        f"Python:             {inventory.python_version}",
        f"OS:                 {inventory.operating_system}",
        f"NVIDIA driver:      {_said(inventory.driver_version)}",
        f"Driver's CUDA:      {_said(inventory.driver_cuda_version)}",
        f"CPU:                {_said(inventory.processor)}",
        f"CPU capability:     {_said(inventory.vector_instructions)}",
        f"Cores, threads:     {_said(inventory.cores)}, {_said(inventory.threads)}",
        f"PyTorch threads:    {_said(inventory.torch_threads)}",
        f"RAM:                {_size(inventory.memory_total_bytes)}, "
        f"{_size(inventory.memory_available_bytes)} available",
        f"Accelerator:        {_said(inventory.accelerator_type)}, "
        f"available: {inventory.accelerator_is_available}, count: {inventory.accelerator_count}",
    ]
    for accelerator in inventory.accelerators:
        lines += ["", *_describe(accelerator)]
    return "\n".join(lines) + "\n"


def _describe(accelerator: Accelerator) -> tuple[str, ...]:
    used = _size(accelerator.memory_used_bytes)
    free = _size(accelerator.memory_free_bytes)
    return (
        f"{accelerator.device or 'not usable by this PyTorch'}: {_said(accelerator.name)}",
        f"  kind:             {accelerator.kind}",
        f"  nvidia-smi index: {_said(accelerator.physical_index)}",
        f"  UUID:             {_said(accelerator.uuid)}",
        f"  PCI bus:          {_said(accelerator.pci_bus_id)}",
        f"  memory:           {_size(accelerator.memory_total_bytes)}, {used} used, {free} free",
        f"  capability:       {_said(accelerator.compute_capability or accelerator.architecture)}",
        f"  multiprocessors:  {_said(accelerator.multiprocessors)}",
        f"  temperature:      {_said(accelerator.temperature_celsius, ' °C')}",
        f"  utilisation:      {_said(accelerator.utilisation_percent, ' %')}",
        f"  power:            {_said(accelerator.power_watts, ' W')} "
        f"of {_said(accelerator.power_limit_watts, ' W')}",
    )


def _said(value: object, unit: str = "") -> str:
    return ABSENT if value is None else f"{value}{unit}"


def _size(size_bytes: int | None) -> str:
    return ABSENT if size_bytes is None else format_bytes(size_bytes)
