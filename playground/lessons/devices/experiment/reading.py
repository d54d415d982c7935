"""Experiments that look at a computer, at memory, and at device objects."""

from collections.abc import Callable

import torch

from playground.compute.outcome import attempt
from playground.lessons.devices.records import (
    CompareDevices,
    CompareDevicesReport,
    CompareMemoryFigures,
    CompareMemoryFiguresReport,
    MemoryFigures,
    MemoryMoment,
    ReadGpus,
    ReadGpusReport,
    ReadServer,
    ReadServerReport,
    RunNvidiaSmi,
    RunNvidiaSmiReport,
    UseDevice,
    UseDeviceReport,
)
from playground.machines.environment_text import as_text
from playground.machines.host import running_on
from playground.machines.inventory import read_inventory
from playground.machines.machine import DeviceName
from playground.machines.nvidia_smi import read_nvidia_smi
from playground.machines.torch_devices import accelerator_type, read_torch_devices
from playground.units import MEBIBYTE


def read_server(settings: ReadServer) -> ReadServerReport:  # noqa: ARG001 - nothing to set
    """Read this server; ``settings.machine`` only says that its GPUs must be in sight."""
    inventory = read_inventory()
    return ReadServerReport(inventory=inventory, text=as_text(inventory))


def read_gpus(settings: ReadGpus) -> ReadGpusReport:
    """Read the accelerators of the machine; the driver is asked for real ones only."""
    driver_version = None
    with running_on(settings.machine):
        if settings.machine.is_simulated:
            accelerators = read_torch_devices()
        else:
            inventory = read_inventory()
            accelerators, driver_version = inventory.accelerators, inventory.driver_version
        kind = accelerator_type()
    there = settings.index < len(accelerators)
    return ReadGpusReport(
        accelerators=accelerators,
        chosen=accelerators[settings.index] if there else None,
        accelerator_type=kind,
        is_simulated=settings.machine.is_simulated,
        driver_version=driver_version,
    )


def run_nvidia_smi(settings: RunNvidiaSmi) -> RunNvidiaSmiReport:  # noqa: ARG001 - nothing to set
    """Run this server's nvidia-smi."""
    return RunNvidiaSmiReport(answer=read_nvidia_smi())


def compare_memory_figures(settings: CompareMemoryFigures) -> CompareMemoryFiguresReport:
    """Look at a GPU's memory before a tensor, with it, without it, and after empty_cache."""

    def look(moment: MemoryMoment) -> MemoryFigures:
        free, total = torch.cuda.mem_get_info("cuda:0")
        return MemoryFigures(
            moment=moment,
            allocated_bytes=torch.cuda.memory_allocated("cuda:0"),
            reserved_bytes=torch.cuda.memory_reserved("cuda:0"),
            used_bytes=total - free,
        )

    def observe() -> tuple[MemoryFigures, ...]:
        torch.cuda.empty_cache()  # what earlier experiments left would blur the figures
        before = look(MemoryMoment.BEFORE)
        x = torch.ones(settings.mebibytes * MEBIBYTE, dtype=torch.uint8, device="cuda:0")
        held = look(MemoryMoment.HELD)
        del x
        deleted = look(MemoryMoment.DELETED)
        torch.cuda.empty_cache()
        return before, held, deleted, look(MemoryMoment.EMPTIED)

    with running_on(settings.machine):
        figures, outcome = attempt(observe)
    return CompareMemoryFiguresReport(outcome=outcome, figures=figures or ())


def use_device(settings: UseDevice) -> UseDeviceReport:
    """Make a device object, then a tensor on it; each may be refused."""
    with running_on(settings.machine):
        device, made = attempt(lambda: torch.device(settings.text))
        if device is None:
            return UseDeviceReport(made=made, used=made)
        x, used = attempt(lambda: torch.ones(2, device=device))
        return UseDeviceReport(
            made=made,
            used=used,
            type=device.type,
            index=device.index,
            lands_on=None if x is None else str(x.device),
        )


def compare_devices(settings: CompareDevices) -> CompareDevicesReport:
    """Compare two device objects, and where each puts a tensor."""
    left, right = torch.device(settings.left), torch.device(settings.right)
    with running_on(settings.machine):
        return CompareDevicesReport(
            is_equal=left == right,
            left_lands_on=_place(lambda: torch.ones(2, device=left)),
            right_lands_on=_place(lambda: torch.ones(2, device=right)),
        )


def _place(make: Callable[[], torch.Tensor]) -> DeviceName | None:
    x, _ = attempt(make)
    return None if x is None else str(x.device)
