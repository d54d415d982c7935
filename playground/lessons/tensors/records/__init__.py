"""What each step of the lesson asks: settings, which refuse bad values; knows no torch.

The settings stand here; choices, reports and the device map's scene have files of their own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, cast

from playground.compute.settings import Settings, check_choice, check_within
from playground.errors import InvalidSettingError
from playground.lessons.tensors.records.choices import (
    Alike,
    Assignment,
    Computation,
    CreationWay,
    DataType,
    Edit,
    MoveMethod,
    NumpyChain,
    Operation,
    Override,
    Remedy,
    ToForm,
    TransferKind,
    ZeroDim,
)
from playground.lessons.tensors.records.explained import Explained, OnMap, Told
from playground.lessons.tensors.records.meeting import (
    AddAcrossDevicesReport,
    ConvertToNumpyReport,
    FixAcrossDevicesReport,
)
from playground.lessons.tensors.records.memory import (
    FillMemoryReport,
    MeasureTensorReport,
    MeasureTransferReport,
    PinTensorReport,
    Transfer,
)
from playground.lessons.tensors.records.placing import (
    AllocateEmptyReport,
    ComputeOnDeviceReport,
    CreateAlikeReport,
    CreateTensorReport,
    MoveAndConvertReport,
    MoveTensorReport,
    PrintTensorReport,
)
from playground.lessons.tensors.records.scene import (
    DeviceMemory,
    HasMemory,
    HasScene,
    Meeting,
    Resident,
    Scene,
)
from playground.machines.machine import (
    DeviceName,
    Machine,
    MachineKind,
    check_device,
    devices_of,
)
from playground.units import GIBIBYTE, MEBIBYTE

__all__ = [
    "AddAcrossDevices",
    "AddAcrossDevicesReport",
    "Alike",
    "AllocateEmpty",
    "AllocateEmptyReport",
    "Assignment",
    "Computation",
    "ComputeOnDevice",
    "ComputeOnDeviceReport",
    "ConvertToNumpy",
    "ConvertToNumpyReport",
    "CreateAlike",
    "CreateAlikeReport",
    "CreateTensor",
    "CreateTensorReport",
    "CreationWay",
    "DataType",
    "DeviceMemory",
    "Edit",
    "Explained",
    "FillMemory",
    "FillMemoryReport",
    "FixAcrossDevices",
    "FixAcrossDevicesReport",
    "HasMemory",
    "HasScene",
    "MeasureTensor",
    "MeasureTensorReport",
    "MeasureTransfer",
    "MeasureTransferReport",
    "Meeting",
    "MoveAndConvert",
    "MoveAndConvertReport",
    "MoveMethod",
    "MoveTensor",
    "MoveTensorReport",
    "NumpyChain",
    "OnMap",
    "Operation",
    "Override",
    "PinTensor",
    "PinTensorReport",
    "PrintTensor",
    "PrintTensorReport",
    "Remedy",
    "Resident",
    "Scene",
    "ToForm",
    "Told",
    "Transfer",
    "TransferKind",
    "ZeroDim",
    "asked_fields",
    "zero_dims",
]

Bounds = Mapping[str, Mapping[str, float]]  # least and most, by field
Condition = Mapping[str, tuple[str, tuple[StrEnum, ...]]]  # field: only if that one is one of those
BROADCASTING = (Operation.ADD, Operation.WHERE)  # where one value may stand for all


def check_bounds(settings: Settings[Any], bounds: Bounds) -> None:
    """Refuse numbers out of their bounds."""
    for field, limits in bounds.items():
        check_within(field, getattr(settings, field), **limits)


def check_target(target: DeviceName, machine: Machine | None) -> None:
    """Refuse a target that the machine has not; without one it counts for nothing, any will do."""
    check_device("target", target, machine or Machine(kind=MachineKind.REAL))


def asked_fields(
    kind: type[Settings[Any]], chosen: Mapping[str, object]
) -> Iterator[tuple[str, Any]]:
    """The fields that a student is asked for, with their defaults, one after the other.

    Args:
        kind: A settings class of this lesson.
        chosen: Filled by the caller between two fields; a field that means nothing beside what was
            chosen before it is left out.
    """
    conditions: Condition = getattr(kind, "ONLY_WITH", {})
    for field in fields(cast("Any", kind)):
        other, values = conditions.get(field.name, ("", ()))
        if field.name != "machine" and (not other or chosen[other] in values):
            yield field.name, field.default


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintTensor(Settings["PrintTensorReport"]):
    """Print a tensor made without a device, and one made on ``device``."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTensor(Settings["CreateTensorReport"]):
    """Make a tensor on a device, at once or by way of the CPU."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    way: CreationWay = CreationWay.MOVED

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocateEmpty(Settings["AllocateEmptyReport"]):
    """Delete a tensor full of sevens, then ask for memory of the same size and look into it."""

    BOUNDS: ClassVar[Bounds] = {"elements": {"least": 1, "most": 65536}}
    deterministic: ClassVar[bool] = False

    machine: Machine = Machine()
    device: DeviceName = "cpu"
    elements: int = 16384

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)
        check_bounds(self, self.BOUNDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveTensor(Settings["MoveTensorReport"]):
    """Move a tensor; ``target`` counts for ``.to`` and for ``.cuda`` with an index."""

    TARGETED: ClassVar[tuple[MoveMethod, ...]] = (MoveMethod.TO, MoveMethod.CUDA_INDEX)
    ONLY_WITH: ClassVar[Condition] = {"target": ("method", TARGETED)}

    machine: Machine = Machine()
    start: DeviceName = "cpu"
    method: MoveMethod = MoveMethod.TO
    target: DeviceName = "cuda:0"
    assignment: Assignment = Assignment.NEW_NAME
    requires_grad: bool = False

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("start", self.start, self.machine)
        check_target(self.target, self.machine if self.method in self.TARGETED else None)
        if self.method == MoveMethod.CUDA_INDEX and self.target == "cpu":
            _, *gpus = devices_of(self.machine)
            raise InvalidSettingError(
                "choice", field="target", given="cpu", allowed=", ".join(gpus) or "—"
            )

    @property
    def call(self) -> str:
        """The move as a program writes it."""
        if self.method == MoveMethod.TO:
            return f'x.to("{self.target}")'
        if self.method == MoveMethod.CUDA_INDEX:
            return f"x.cuda({self.target.removeprefix('cuda:')})"
        return f"x.{self.method}()"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeOnDevice(Settings["ComputeOnDeviceReport"]):
    """Compute something from one tensor."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    computation: Computation = Computation.POWER

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAcrossDevices(Settings["AddAcrossDevicesReport"]):
    """Let two tensors meet in an operation, each on a device of its own.

    Raises:
        InvalidSettingError: A zero-dimensional tensor is asked for where it does not broadcast.
    """

    ONLY_WITH: ClassVar[Condition] = {"zero_dim": ("operation", BROADCASTING)}

    machine: Machine = Machine()
    left: DeviceName = "cuda:0"
    right: DeviceName = "cpu"
    operation: Operation = Operation.ADD
    zero_dim: ZeroDim = ZeroDim.NEITHER

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("left", self.left, self.machine)
        check_device("right", self.right, self.machine)
        check_choice("zero_dim", self.zero_dim, zero_dims(self.operation))

    @property
    def moves(self) -> Mapping[str, DeviceName]:
        """The fix that is offered: everything beside X goes to where X is."""
        return dict.fromkeys(self.operation.operands[1:], self.left)


def zero_dims(operation: Operation) -> tuple[ZeroDim, ...]:
    """Which of the two tensors of an operation may have no dimensions."""
    return tuple(ZeroDim) if operation in BROADCASTING else (ZeroDim.NEITHER,)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixAcrossDevices(Settings["FixAcrossDevicesReport"]):
    """Apply a remedy to the same meeting; ``target`` counts where both are moved."""

    ONLY_WITH: ClassVar[Condition] = {"target": ("remedy", (Remedy.MOVE_BOTH,))}

    machine: Machine = Machine()
    left: DeviceName = "cuda:0"
    right: DeviceName = "cpu"
    operation: Operation = Operation.ADD
    remedy: Remedy = Remedy.MOVE_LEFT
    target: DeviceName = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("left", self.left, self.machine)
        check_device("right", self.right, self.machine)
        check_target(self.target, self.machine if self.remedy == Remedy.MOVE_BOTH else None)

    @property
    def moves(self) -> Mapping[str, DeviceName]:
        """Which operands are moved, and where to."""
        operands = self.operation.operands
        if self.remedy == Remedy.MOVE_RIGHT:
            return dict.fromkeys(operands[1:], self.left)
        if self.remedy == Remedy.MOVE_LEFT:
            return {"X": self.right}
        return dict.fromkeys(operands, self.target)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertToNumpy(Settings["ConvertToNumpyReport"]):
    """Make an array from a tensor, then edit one of them."""

    machine: Machine = Machine()
    device: DeviceName = "cpu"
    requires_grad: bool = False
    chain: NumpyChain = NumpyChain.NUMPY
    edit: Edit = Edit.ARRAY

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateAlike(Settings["CreateAlikeReport"]):
    """Make a tensor after the model of another."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    dtype: DataType = DataType.FLOAT64
    alike: Alike = Alike.NEW_TENSOR
    override: Override = Override.NOTHING

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveAndConvert(Settings["MoveAndConvertReport"]):
    """Call ``.to`` once on a float32 tensor, with a device, a dtype, both, or another tensor."""

    machine: Machine = Machine()
    device: DeviceName = "cpu"
    target: DeviceName = "cuda:0"
    dtype: DataType = DataType.FLOAT16
    form: ToForm = ToForm.OTHER

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)
        check_device("target", self.target, self.machine)

    @property
    def call(self) -> str:
        """The move as a program writes it."""
        arguments = {
            ToForm.DEVICE_AND_DTYPE: f'"{self.target}", torch.{self.dtype}',
            ToForm.OTHER: "other",
            ToForm.DEVICE_ONLY: f'"{self.target}"',
            ToForm.DTYPE_ONLY: f"torch.{self.dtype}",
        }
        return f"x.to({arguments[self.form]})"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinTensor(Settings["PinTensorReport"]):
    """Ask for a copy in page-locked host memory."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureTransfer(Settings["MeasureTransferReport"]):
    """Time copies from host memory to a real GPU: pageable, pinned, and without waiting."""

    BOUNDS: ClassVar[Bounds] = {"mebibytes": {"least": 1, "most": 256}}
    REPEATS: ClassVar[int] = 9
    deterministic: ClassVar[bool] = False
    measures: ClassVar[bool] = True

    machine: Machine = Machine()
    target: DeviceName = "cuda:0"
    mebibytes: int = 64

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("target", self.target, self.machine)
        check_bounds(self, self.BOUNDS)

    @property
    def size_bytes(self) -> int:
        """How much is copied each time."""
        return self.mebibytes * MEBIBYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureTensor(Settings["MeasureTensorReport"]):
    """Make a tensor of shape (rows, columns) and read the memory of every device; ≤ 256 MiB."""

    BOUNDS: ClassVar[Bounds] = {
        "rows": {"least": 1, "most": 8192},
        "columns": {"least": 1, "most": 4096},
    }
    deterministic: ClassVar[bool] = False  # a real GPU has other users

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    rows: int = 1024
    columns: int = 1024
    dtype: DataType = DataType.FLOAT32

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)
        check_bounds(self, self.BOUNDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class FillMemory(Settings["FillMemoryReport"]):
    """Ask a device for tensors of one size until all are there, or torch refuses.

    Nothing is ever written into them, so the memory of the host is promised, not taken; the
    largest single request is bounded because a host may refuse to promise more than it has.
    """

    BOUNDS: ClassVar[Bounds] = {
        "piece_gib": {"least": 0.25, "most": 8.0},
        "pieces": {"least": 1, "most": 24},
    }
    deterministic: ClassVar[bool] = False  # a real GPU has other users

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    piece_gib: float = 3.0
    pieces: int = 3

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)
        check_bounds(self, self.BOUNDS)

    @property
    def piece_bytes(self) -> int:
        """The size of one tensor."""
        return int(self.piece_gib * GIBIBYTE)
