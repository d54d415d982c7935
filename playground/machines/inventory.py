"""What this computer has, read live from PyTorch, the NVIDIA driver and the operating system."""

import platform
from dataclasses import replace
from pathlib import Path

import psutil
import torch

from playground.machines import nvml
from playground.machines.hardware import Accelerator, AcceleratorKind, Inventory
from playground.machines.torch_devices import accelerator_type, read_torch_devices, reading

__all__ = ["Accelerator", "AcceleratorKind", "Inventory", "read_inventory"]

SENSORS = (  # what the driver knows and torch does not, or knows better
    "physical_index",
    "uuid",
    "pci_bus_id",
    "memory_total_bytes",
    "memory_used_bytes",
    "memory_free_bytes",
    "temperature_celsius",
    "utilisation_percent",
    "power_watts",
    "power_limit_watts",
)


def read_inventory() -> Inventory:
    """Read the computer and its accelerators; each reading fails alone, and is then None."""
    driver = nvml.read_driver()
    torch_devices = read_torch_devices(asks_memory=driver is None)
    memory = reading(psutil.virtual_memory)
    return Inventory(
        torch_version=str(torch.__version__),
        python_version=platform.python_version(),
        operating_system=_operating_system(),
        cuda_build=torch.version.cuda,
        hip_build=torch.version.hip,
        xpu_build=getattr(torch.version, "xpu", None),
        cudnn_version=reading(torch.backends.cudnn.version),
        driver_version=driver.version if driver else None,
        driver_cuda_version=driver.cuda_version if driver else None,
        processor=reading(_processor),
        vector_instructions=reading(torch.backends.cpu.get_cpu_capability),
        cores=reading(lambda: psutil.cpu_count(logical=False)),
        threads=reading(psutil.cpu_count),
        torch_threads=reading(torch.get_num_threads),
        memory_total_bytes=memory.total if memory else None,
        memory_available_bytes=memory.available if memory else None,
        accelerator_is_available=bool(reading(torch.accelerator.is_available)),
        accelerator_type=accelerator_type(),
        accelerator_count=reading(torch.accelerator.device_count) or 0,
        accelerators=join(torch_devices, driver.gpus if driver else ()),
    )


def join(
    torch_devices: tuple[Accelerator, ...], driver_gpus: tuple[Accelerator, ...]
) -> tuple[Accelerator, ...]:
    """Give each of torch's devices the driver's sensors; add the GPUs that torch cannot use.

    Torch may number the fastest GPU first while the driver follows the PCI bus, and
    CUDA_VISIBLE_DEVICES renumbers: so they are matched by UUID, never by place.
    """
    by_uuid = {_identity(gpu): gpu for gpu in driver_gpus if gpu.uuid}
    joined = tuple(_add_sensors(device, by_uuid) for device in torch_devices)
    used = {_identity(device) for device in joined if device.uuid}
    unused = tuple(gpu for gpu in driver_gpus if not gpu.uuid or _identity(gpu) not in used)
    return joined + unused


def _identity(accelerator: Accelerator) -> str:
    """Reduce a UUID to what torch and the driver write alike: torch has no GPU- or MIG- prefix."""
    uuid = accelerator.uuid or ""
    return uuid.removeprefix("GPU-").removeprefix("MIG-").lower()


def _add_sensors(device: Accelerator, by_uuid: dict[str, Accelerator]) -> Accelerator:
    gpu = by_uuid.get(_identity(device)) if device.uuid else None
    if gpu is None:
        return device
    readings = {name: getattr(gpu, name) for name in SENSORS}
    told = {name: value for name, value in readings.items() if value is not None}
    return replace(device, kind=gpu.kind, **told)


def _operating_system() -> str:
    if platform.system() == "Linux":
        release = reading(platform.freedesktop_os_release) or {}
        return f"{release.get('PRETTY_NAME', 'Linux')}, Linux {platform.release()}"
    if platform.system() == "Darwin":
        return f"macOS {platform.mac_ver()[0]}"
    return f"{platform.system()} {platform.release()}"


def _processor() -> str:
    """Name the processor; Python itself answers only its architecture on Linux."""
    described = Path("/proc/cpuinfo")
    lines = described.read_text(encoding="utf-8").splitlines() if described.exists() else []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.processor() or platform.machine()
