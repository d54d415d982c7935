"""What each step of the lesson asks: settings, which refuse bad values; knows no torch."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Settings, check_choice, check_length, check_within
from playground.errors import InvalidSettingError
from playground.lessons.devices.records.choices import (
    CALLS,
    FACTORIES,
    Call,
    CurrentWay,
    DefaultWay,
    Factory,
    Idiom,
    MemoryMoment,
    Moment,
    Variable,
)
from playground.lessons.devices.records.device_objects import CompareDevicesReport, UseDeviceReport
from playground.lessons.devices.records.explained import Explained
from playground.lessons.devices.records.placements import (
    HostAnswer,
    Landing,
    PickDeviceReport,
    TryAllGpusReport,
    TryGpuReport,
    UseCurrentDeviceReport,
    UseDefaultDeviceReport,
    VisibleDevicesReport,
)
from playground.lessons.devices.records.reports import (
    CompareMemoryFiguresReport,
    MemoryFigures,
    ReadGpusReport,
    ReadServerReport,
    RunNvidiaSmiReport,
)
from playground.machines.machine import DeviceName, Machine, MachineKind

__all__ = [
    "CALLS",
    "FACTORIES",
    "Call",
    "CompareDevices",
    "CompareDevicesReport",
    "CompareMemoryFigures",
    "CompareMemoryFiguresReport",
    "CurrentWay",
    "DefaultWay",
    "Explained",
    "Factory",
    "HostAnswer",
    "Idiom",
    "Landing",
    "MemoryFigures",
    "MemoryMoment",
    "Moment",
    "PickDevice",
    "PickDeviceReport",
    "ReadGpus",
    "ReadGpusReport",
    "ReadServer",
    "ReadServerReport",
    "RunNvidiaSmi",
    "RunNvidiaSmiReport",
    "TryAllGpus",
    "TryAllGpusReport",
    "TryGpu",
    "TryGpuReport",
    "UseCurrentDevice",
    "UseCurrentDeviceReport",
    "UseDefaultDevice",
    "UseDefaultDeviceReport",
    "UseDevice",
    "UseDeviceReport",
    "Variable",
    "VisibleDevices",
    "VisibleDevicesReport",
]

MOST_INDEX = Machine.MOST_GPUS  # one more than any machine has, so that it can be missed


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadServer(Settings[ReadServerReport]):
    """Read this server; free memory changes from one moment to the next."""

    deterministic: ClassVar[bool] = False

    machine: Machine = Machine(kind=MachineKind.REAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadGpus(Settings[ReadGpusReport]):
    """Read the GPUs of a machine; temperatures and the like change."""

    deterministic: ClassVar[bool] = False

    machine: Machine = Machine()
    index: int = 0

    def __post_init__(self) -> None:
        """Refuse an index out of the lesson's range."""
        self.check_types()
        check_within("index", self.index, least=0, most=MOST_INDEX)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNvidiaSmi(Settings[RunNvidiaSmiReport]):
    """Run the nvidia-smi of this server; its readings change."""

    deterministic: ClassVar[bool] = False
    uses_hardware: ClassVar[bool] = False  # it asks the driver, not CUDA


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareMemoryFigures(Settings[CompareMemoryFiguresReport]):
    """Hold a tensor on a GPU, delete it, and look at the memory each time.

    On a real GPU ``used`` depends on what others do there.
    """

    deterministic: ClassVar[bool] = False
    MOST_MEBIBYTES: ClassVar[int] = 128

    machine: Machine = Machine()
    mebibytes: int = 8

    def __post_init__(self) -> None:
        """Refuse a size that would not be small."""
        self.check_types()
        check_within("mebibytes", self.mebibytes, least=1, most=self.MOST_MEBIBYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class UseDevice(Settings[UseDeviceReport]):
    """Make a device object from a string, and a tensor on it."""

    TEXTS: ClassVar[tuple[str, ...]] = ("cuda", "cuda:0", "cuda:1", "cuda:7", "cpu", "gpu")

    machine: Machine = Machine()
    text: str = "cuda"

    def __post_init__(self) -> None:
        """Refuse a string that the lesson does not offer."""
        self.check_types()
        check_choice("text", self.text, self.TEXTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareDevices(Settings[CompareDevicesReport]):
    """Compare two device objects with ``==``, and where each puts a tensor."""

    TEXTS: ClassVar[tuple[str, ...]] = ("cpu", "cuda", "cuda:0", "cuda:1")

    machine: Machine = Machine()
    left: str = "cuda"
    right: str = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse a string that the lesson does not offer."""
        self.check_types()
        check_choice("left", self.left, self.TEXTS)
        check_choice("right", self.right, self.TEXTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TryGpu(Settings[TryGpuReport]):
    """Ask for GPU ``index`` with ``try_gpu``, then insist on it."""

    machine: Machine = Machine()
    index: int = 1

    def __post_init__(self) -> None:
        """Refuse an index out of the lesson's range."""
        self.check_types()
        check_within("index", self.index, least=0, most=MOST_INDEX)


@dataclass(frozen=True, slots=True, kw_only=True)
class TryAllGpus(Settings[TryAllGpusReport]):
    """Ask for all GPUs, on a machine that has none unless told otherwise."""

    simulates: ClassVar[bool] = True

    machine: Machine = Machine(gpus=0)

    @classmethod
    def on_host(cls, gpus: int) -> "TryAllGpus":
        """Ask on a simulated host with so many GPUs."""
        return cls(machine=Machine(gpus=gpus))


@dataclass(frozen=True, slots=True, kw_only=True)
class PickDevice(Settings[PickDeviceReport]):
    """Let portable code pick its device, on the machine and on simulated hosts."""

    HOSTS: ClassVar[tuple[int, ...]] = (0, 1, 4)

    machine: Machine = Machine()
    idiom: Idiom = Idiom.CUDA


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleDevices(Settings[VisibleDevicesReport]):
    """Start a program with CUDA_VISIBLE_DEVICES on a host with so many GPUs.

    Attributes:
        value: What the variable is set to; None leaves it unset.
        physical_gpus: How many GPUs the host has; ``simulated_uuids`` names them.
        variable: The right name, or the one without its S.
        moment: Before CUDA starts, or after.
    """

    MOST_CHARACTERS: ClassVar[int] = 128
    simulates: ClassVar[bool] = True

    value: str | None = "1"
    physical_gpus: int = 4
    variable: Variable = Variable.CUDA_VISIBLE_DEVICES
    moment: Moment = Moment.BEFORE

    def __post_init__(self) -> None:
        """Refuse what no environment variable can hold."""
        self.check_types()
        check_within("physical_gpus", self.physical_gpus, least=0, most=Machine.MOST_GPUS)
        if self.value is None:
            return
        check_length("value", self.value, most=self.MOST_CHARACTERS)
        if not self.value.isprintable():
            raise InvalidSettingError(
                "choice", field="value", given=ascii(self.value), allowed="1 / 0,2,3 / GPU-…"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCurrentDevice(Settings[UseCurrentDeviceReport]):
    """Make a GPU the current one, then put tensors somewhere."""

    machine: Machine = Machine()
    way: CurrentWay = CurrentWay.SET_DEVICE
    index: int = 1
    call: Call = Call.CUDA

    def __post_init__(self) -> None:
        """Refuse an index out of the lesson's range."""
        self.check_types()
        check_within("index", self.index, least=0, most=MOST_INDEX)


@dataclass(frozen=True, slots=True, kw_only=True)
class UseDefaultDevice(Settings[UseDefaultDeviceReport]):
    """Set the default device, then make tensors in many ways."""

    machine: Machine = Machine()
    way: DefaultWay = DefaultWay.SET_DEFAULT_DEVICE
    device: DeviceName = "cuda:1"
    factory: Factory = Factory.ONES
