"""The inventory of this computer, read from PyTorch, the NVIDIA driver and the operating system.

On a simulated machine, PyTorch reports the simulated devices.
"""

import platform
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import psutil
import torch

from playground.machines import nvml
from playground.machines.hardware import Accelerator, AcceleratorKind, Inventory

T = TypeVar("T")

SENSORS = (  # the driver's readings, which torch does not have or has less exactly
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
    """Read the computer and its accelerators; a reading that fails is None."""
    driver = nvml.read_driver()
    torch_devices = read_torch_devices(asks_memory=driver is None)
    memory = read_or_none(psutil.virtual_memory)
    return Inventory(
        torch_version=str(torch.__version__),
        python_version=platform.python_version(),
        operating_system=_operating_system(),
        cuda_build=torch.version.cuda,
        hip_build=torch.version.hip,
        xpu_build=getattr(torch.version, "xpu", None),
        cudnn_version=read_or_none(torch.backends.cudnn.version),
        driver_version=driver.version if driver else None,
        driver_cuda_version=driver.cuda_version if driver else None,
        processor=read_or_none(_processor),
        vector_instructions=read_or_none(torch.backends.cpu.get_cpu_capability),
        cores=read_or_none(lambda: psutil.cpu_count(logical=False)),
        threads=read_or_none(psutil.cpu_count),
        torch_threads=read_or_none(torch.get_num_threads),
        memory_total_bytes=memory.total if memory else None,
        memory_available_bytes=memory.available if memory else None,
        accelerator_is_available=bool(read_or_none(torch.accelerator.is_available)),
        accelerator_type=accelerator_type(),
        accelerator_count=read_or_none(torch.accelerator.device_count) or 0,
        accelerators=merge_sensors(torch_devices, driver.gpus if driver else ()),
    )


def merge_sensors(
    torch_devices: tuple[Accelerator, ...], driver_gpus: tuple[Accelerator, ...]
) -> tuple[Accelerator, ...]:
    """Add the driver's sensors to torch's devices, and the GPUs that torch cannot use.

    Torch may number the fastest GPU first while the driver follows the PCI bus, and
    CUDA_VISIBLE_DEVICES renumbers, so they are matched by UUID, never by index.
    """
    by_uuid = {_identity(gpu): gpu for gpu in driver_gpus if gpu.uuid}
    joined = tuple(_add_sensors(device, by_uuid) for device in torch_devices)
    used = {_identity(device) for device in joined if device.uuid}
    unused = tuple(gpu for gpu in driver_gpus if not gpu.uuid or _identity(gpu) not in used)
    return joined + unused


def _identity(accelerator: Accelerator) -> str:
    """Normalise a UUID: torch writes it without the driver's GPU- or MIG- prefix."""
    uuid = accelerator.uuid or ""
    return uuid.removeprefix("GPU-").removeprefix("MIG-").lower()


def _add_sensors(device: Accelerator, by_uuid: dict[str, Accelerator]) -> Accelerator:
    gpu = by_uuid.get(_identity(device)) if device.uuid else None
    if gpu is None:
        return device
    readings = {name: getattr(gpu, name) for name in SENSORS}
    present = {name: value for name, value in readings.items() if value is not None}
    return replace(device, kind=gpu.kind, **present)


def _operating_system() -> str:
    if platform.system() == "Linux":
        release = read_or_none(platform.freedesktop_os_release) or {}
        return f"{release.get('PRETTY_NAME', 'Linux')}, Linux {platform.release()}"
    if platform.system() == "Darwin":
        return f"macOS {platform.mac_ver()[0]}"
    return f"{platform.system()} {platform.release()}"


def _processor() -> str:
    """Return the processor's name; on Linux, ``platform`` knows only its architecture."""
    described = Path("/proc/cpuinfo")
    lines = described.read_text(encoding="utf-8").splitlines() if described.exists() else []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.processor() or platform.machine()


def read_torch_devices(*, asks_memory: bool = True) -> tuple[Accelerator, ...]:
    """Read every accelerator that this PyTorch can use, in PyTorch's order.

    Args:
        asks_memory: Read used memory from CUDA too. That opens a context on every GPU, some
            hundred MiB each, so the driver is asked instead where there is one.
    """
    kind = accelerator_type()
    if kind == "mps":
        return (_read_mps(),)
    count = read_or_none(torch.accelerator.device_count) or 0
    if kind == "cuda":
        return tuple(_read_cuda(index, asks_memory=asks_memory) for index in range(count))
    if kind == "xpu":
        return tuple(_read_xpu(index) for index in range(count))
    return tuple(
        Accelerator(kind=AcceleratorKind.OTHER, device=f"{kind}:{index}") for index in range(count)
    )


def accelerator_type() -> str | None:
    """Return the type of the accelerator that PyTorch can use now; None if there is none."""
    if not read_or_none(torch.accelerator.is_available):
        return None
    accelerator = read_or_none(torch.accelerator.current_accelerator)
    return accelerator.type if accelerator else None


def read_or_none(read: Callable[[], T]) -> T | None:
    """Call a function of the driver or torch; None if it raises anything."""
    try:
        return read()
    except Exception:  # noqa: BLE001 - backends raise any type; a missing sensor is no error
        return None


def _read_cuda(index: int, *, asks_memory: bool) -> Accelerator:
    properties = read_or_none(lambda: torch.cuda.get_device_properties(index))
    memory = read_or_none(lambda: torch.cuda.mem_get_info(index)) if asks_memory else None
    capability = read_or_none(lambda: torch.cuda.get_device_capability(index))
    name = read_or_none(lambda: torch.cuda.get_device_name(index))
    is_rocm = torch.version.hip is not None
    total = memory[1] if memory else getattr(properties, "total_memory", None)
    return Accelerator(
        kind=_cuda_kind(name or ""),
        device=f"cuda:{index}",
        name=name,
        uuid=_uuid(getattr(properties, "uuid", None)),
        architecture=getattr(properties, "gcnArchName", None) if is_rocm else None,
        compute_capability=f"{capability[0]}.{capability[1]}" if capability else None,
        multiprocessors=read_or_none(lambda: getattr(properties, "multi_processor_count", None)),
        memory_total_bytes=total,
        memory_used_bytes=memory[1] - memory[0] if memory else None,
        memory_free_bytes=memory[0] if memory else None,
    )


def _cuda_kind(name: str) -> AcceleratorKind:
    if torch.version.hip is not None:
        return AcceleratorKind.ROCM
    return AcceleratorKind.MIG if " MIG " in name else AcceleratorKind.CUDA


def _uuid(uuid: object) -> str | None:
    """Write a UUID as nvidia-smi does, with the prefix that torch omits."""
    written = "" if uuid is None else str(uuid)
    if not written:
        return None
    return written if written.startswith(("GPU-", "MIG-")) else f"GPU-{written}"


def _read_xpu(index: int) -> Accelerator:
    properties = read_or_none(lambda: torch.xpu.get_device_properties(index))
    memory = read_or_none(lambda: torch.xpu.mem_get_info(index))
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
    """Read Apple's GPU, which shares the computer's memory; the total is its recommended share."""
    return Accelerator(
        kind=AcceleratorKind.MPS,
        device="mps:0",
        memory_total_bytes=read_or_none(torch.mps.recommended_max_memory),
        memory_used_bytes=read_or_none(torch.mps.driver_allocated_memory),
    )
