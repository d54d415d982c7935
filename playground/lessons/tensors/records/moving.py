"""Tensors that are moved, converted and computed with."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Conditions, Settings
from playground.errors import InvalidSettingError
from playground.explained import Told
from playground.lessons.tensors.records.choices import (
    Assignment,
    Computation,
    DataType,
    MoveMethod,
    ToForm,
)
from playground.lessons.tensors.records.explained import OnMap
from playground.machines.machine import DeviceName, Machine, devices_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveTensorReport(OnMap):
    """The tensor before and after a move.

    Attributes:
        x_device: Where the name ``x`` leads afterwards.
        moved_device: Where the tensor is that the move returned.
        is_same_object: The move returned the very object it was called on.
        shares_memory: Both begin at the same address.
        is_leaf: Whether the returned tensor is a leaf of the autograd graph.
        grad_fn: Name of the step that made it, if autograd recorded one.
    """

    assignment: Assignment
    x_device: DeviceName
    moved_device: DeviceName | None
    is_same_object: bool | None
    shares_memory: bool | None
    is_leaf: bool | None
    grad_fn: str | None

    @property
    def actual(self) -> str:
        """Where the name ``x`` leads."""
        return self.x_device

    @property
    def answers(self) -> tuple[str, ...]:
        """All devices."""
        return self.scene.devices

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "x_device": self.x_device,
            "moved_device": self.moved_device,
            "is_same_object": self.is_same_object,
            "shares_memory": self.shares_memory,
            "is_leaf": self.is_leaf,
            "grad_fn": self.grad_fn,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        if self.is_same_object:
            return "already-there"
        if self.assignment == Assignment.NOTHING:
            return "copy-is-lost"
        if self.is_leaf is False:
            return "copy-is-no-leaf"
        return "copy-and-original" if self.assignment == Assignment.NEW_NAME else "name-follows"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeOnDeviceReport(OnMap):
    """The result of a computation on one tensor; ``y_device`` is None for a Python number."""

    computation: Computation
    x_device: DeviceName | None
    y_device: DeviceName | None
    value: str | None

    @property
    def actual(self) -> str:
        """The result's device, or the answer id for a Python number."""
        if not self.outcome.ok:
            return "other"
        return self.y_device or "python_number"

    @property
    def answers(self) -> tuple[str, ...]:
        """All devices, and none of them."""
        return (*self.scene.devices, "python_number")

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"x_device": self.x_device, "y_device": self.y_device, "value": self.value}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        return "left-torch" if self.computation == Computation.ITEM else "result-stays"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveAndConvertReport(OnMap):
    """A tensor before and after one ``.to``."""

    x_device: DeviceName | None
    x_dtype: str
    y_device: DeviceName | None
    y_dtype: str | None
    y_values: str | None
    is_same_object: bool | None

    @property
    def actual(self) -> str:
        """What became different: an answer id."""
        if not self.outcome.ok:
            return "other"
        device = self.x_device != self.y_device
        dtype = self.x_dtype != self.y_dtype
        if device and dtype:
            return "both"
        return "device" if device else "dtype" if dtype else "neither"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "y_device": self.y_device,
            "y_dtype": self.y_dtype,
            "y_values": self.y_values,
            "is_same_object": self.is_same_object,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        return "nothing-to-do" if self.is_same_object else "only-what-was-asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveTensor(Settings["MoveTensorReport"]):
    """Move a tensor; ``target`` counts for ``.to`` and for ``.cuda`` with an index."""

    TARGETED: ClassVar[tuple[MoveMethod, ...]] = (MoveMethod.TO, MoveMethod.CUDA_INDEX)
    ONLY_WITH: ClassVar[Conditions] = {"target": ("method", TARGETED)}

    machine: Machine = Machine()
    start: DeviceName = "cpu"
    method: MoveMethod = MoveMethod.TO
    target: DeviceName = "cuda:0"
    assignment: Assignment = Assignment.NEW_NAME
    requires_grad: bool = False

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveAndConvert(Settings["MoveAndConvertReport"]):
    """Call ``.to`` once on a float32 tensor, with a device, a dtype, both, or another tensor."""

    machine: Machine = Machine()
    device: DeviceName = "cpu"
    target: DeviceName = "cuda:0"
    dtype: DataType = DataType.FLOAT16
    form: ToForm = ToForm.OTHER

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
