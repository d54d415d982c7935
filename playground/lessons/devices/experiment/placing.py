"""Experiments that say which device a program gets."""

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import numpy
import torch

from playground.compute.outcome import attempt
from playground.lessons.devices.records import (
    CALLS,
    FACTORIES,
    Call,
    CurrentWay,
    DefaultWay,
    Factory,
    HostAnswer,
    Idiom,
    Landing,
    Moment,
    PickDevice,
    PickDeviceReport,
    TryAllGpus,
    TryAllGpusReport,
    TryGpu,
    TryGpuReport,
    UseCurrentDevice,
    UseCurrentDeviceReport,
    UseDefaultDevice,
    UseDefaultDeviceReport,
    Variable,
    VisibleDevices,
    VisibleDevicesReport,
)
from playground.machines.host import running_on
from playground.machines.machine import DeviceName, Machine
from playground.machines.visible_devices import simulated_uuids, visible_gpus

LineT = TypeVar("LineT", Call, Factory)


def num_gpus() -> int:
    """Count the GPUs that PyTorch can use."""
    return torch.cuda.device_count()


def try_gpu_or_cpu(i: int = 0) -> torch.device:
    """Return GPU i if it exists, otherwise the CPU: D2L's ``try_gpu``."""
    if num_gpus() >= i + 1:
        return torch.device(f"cuda:{i}")
    return torch.device("cpu")


def try_gpu(settings: TryGpu) -> TryGpuReport:
    """Ask for a GPU, which may fall back, then insist on it, which may be refused."""
    with running_on(settings.machine):
        y = torch.ones(2, 3, device=try_gpu_or_cpu(settings.index))
        _, insisted = attempt(lambda: y.cuda(settings.index))
        return TryGpuReport(
            requested=f"cuda:{settings.index}",
            device=str(y.device),
            device_count=num_gpus(),
            is_simulated=settings.machine.is_simulated,
            insisted=insisted,
        )


def try_all_gpus(settings: TryAllGpus) -> TryAllGpusReport:
    """List all GPUs as it is often written, and as the docstring promises."""
    with running_on(settings.machine):
        as_written = [torch.device(f"cuda:{i}") for i in range(num_gpus())]
        as_promised = as_written or [torch.device("cpu")]
        _, first = attempt(lambda: as_written[0])
    return TryAllGpusReport(
        as_written=tuple(map(str, as_written)),
        as_promised=tuple(map(str, as_promised)),
        first=first,
    )


def pick_device(settings: PickDevice) -> PickDeviceReport:
    """Run portable code here, and on simulated hosts with other numbers of GPUs."""
    return PickDeviceReport(
        device=_pick(settings.idiom, settings.machine),
        elsewhere=tuple(
            HostAnswer(gpus=gpus, device=_pick(settings.idiom, Machine(gpus=gpus)))
            for gpus in settings.HOSTS
        ),
    )


def _pick(idiom: Idiom, machine: Machine) -> DeviceName:
    with running_on(machine):
        if idiom == Idiom.CUDA:
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        else:
            accelerator = torch.accelerator.current_accelerator(check_available=True)
            device = accelerator or torch.device("cpu")
        return str(torch.ones(2, 3, device=device).device)


def visible_devices(settings: VisibleDevices) -> VisibleDevicesReport:
    """Read the variable as CUDA does; only the right name is read, and only when CUDA starts."""
    is_read = (
        settings.variable == Variable.CUDA_VISIBLE_DEVICES and settings.moment == Moment.BEFORE
    )
    return VisibleDevicesReport(
        mapping=visible_gpus(
            settings.value if is_read else None, simulated_uuids(settings.physical_gpus)
        ),
        physical_gpus=settings.physical_gpus,
        value=settings.value,
        variable=settings.variable,
        moment=settings.moment,
    )


def use_current_device(settings: UseCurrentDevice) -> UseCurrentDeviceReport:
    """Make a GPU the current one, and see where each line puts its tensor."""
    x = torch.ones(2)
    calls: dict[Call, Callable[[], torch.Tensor]] = {
        Call.CUDA: lambda: x.cuda(),
        Call.TO_CUDA: lambda: x.to("cuda"),
        Call.ONES_CUDA: lambda: torch.ones(2, device="cuda"),
        Call.ONES: lambda: torch.ones(2),
        Call.ONES_CUDA_0: lambda: torch.ones(2, device="cuda:0"),
    }

    def under_way(call: Call) -> DeviceName:
        if settings.way == CurrentWay.WITH_DEVICE:
            with torch.cuda.device(settings.index):
                return str(calls[call]().device)
        torch.cuda.set_device(settings.index)
        return str(calls[call]().device)

    with running_on(settings.machine):
        device, outcome = attempt(lambda: under_way(settings.call))
        landings = _try_all(CALLS, under_way, settings.call)
    return UseCurrentDeviceReport(
        outcome=outcome,
        device=device,
        landings=landings,
        is_simulated=settings.machine.is_simulated,
    )


def use_default_device(settings: UseDefaultDevice) -> UseDefaultDeviceReport:
    """Set a default device, and see which lines heed it."""
    array = numpy.ones(2)
    x = torch.ones(2)
    factories: dict[Factory, Callable[[], torch.Tensor]] = {
        Factory.ONES: lambda: torch.ones(2),
        Factory.TENSOR: lambda: torch.tensor([1.0, 2.0]),
        Factory.LINEAR: lambda: torch.nn.Linear(2, 1).weight,
        Factory.AS_TENSOR: lambda: torch.as_tensor(array),
        Factory.FROM_NUMPY: lambda: torch.from_numpy(array),
        Factory.TENSOR_CLASS: lambda: torch.Tensor([1.0, 2.0]),
        Factory.ZEROS_LIKE: lambda: torch.zeros_like(x),
        Factory.ONES_CPU: lambda: torch.ones(2, device="cpu"),
    }

    def under_way(factory: Factory) -> DeviceName:
        if settings.way == DefaultWay.WITH_DEVICE:
            with torch.device(settings.device):
                return str(factories[factory]().device)
        torch.set_default_device(settings.device)
        try:
            return str(factories[factory]().device)
        finally:
            torch.set_default_device(None)

    with running_on(settings.machine):
        device, outcome = attempt(lambda: under_way(settings.factory))
        landings = _try_all(FACTORIES, under_way, settings.factory)
    return UseDefaultDeviceReport(
        outcome=outcome,
        default=settings.device,
        device=device,
        landings=landings,
        is_simulated=settings.machine.is_simulated,
        retired_warning=_retired_warning(),
    )


def _retired_warning() -> str:
    """Ask PyTorch what it says to the old setter; it says it once per process unless told."""
    told_always = torch.is_warn_always_enabled()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.set_warn_always(True)
        try:
            torch.set_default_tensor_type(torch.FloatTensor)
        finally:
            torch.set_warn_always(told_always)
    said = " ".join(str(warning.message) for warning in caught)
    return said.partition(" (Triggered internally")[0]  # what follows is a path on torch's builder


def _try_all(
    codes: Mapping[LineT, str], place: Callable[[LineT], DeviceName], chosen: LineT
) -> tuple[Landing, ...]:
    return tuple(
        Landing(code=code, device=attempt(partial(place, line))[0], is_chosen=line == chosen)
        for line, code in codes.items()
    )
