"""What the device map draws: places, the tensors in them, and where an operation joins them."""

from dataclasses import dataclass
from typing import Protocol

from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class Resident:
    """A tensor in its place.

    Attributes:
        label: Its name in the program; two names where two names mean one object.
        values: As ``tolist()`` prints them.
    """

    label: str
    device: DeviceName
    shape: tuple[int, ...]
    dtype: str
    size_bytes: int
    values: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """An operation.

    Attributes:
        formula: As the program writes it.
        inputs: Labels of the tensors that go into it.
        output: Label of the tensor that comes out; empty where none does.
    """

    formula: str
    inputs: tuple[str, ...]
    output: str = ""
    works: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All devices of a machine, and what is on them."""

    devices: tuple[DeviceName, ...]
    is_simulated: bool
    residents: tuple[Resident, ...] = ()
    meeting: Meeting | None = None

    def resident(self, label: str) -> Resident | None:
        """The tensor of that name, if it is there."""
        return next((each for each in self.residents if each.label == label), None)

    def labels_on(self, device: DeviceName) -> str:
        """The names of the tensors on a device, for a text that stands in for the picture."""
        return ", ".join(each.label for each in self.residents if each.device == device)

    @property
    def formula(self) -> str:
        """The operation, or a dash."""
        return self.meeting.formula if self.meeting else "—"

    def described(self) -> str:
        """Every place that is not empty, with its tensors.

        >>> x = Resident(label="x", device="cpu", shape=(1,), dtype="float32", size_bytes=4,
        ...              values="[1.0]")
        >>> Scene(devices=("cpu", "cuda:0"), is_simulated=True, residents=(x,)).described()
        'cpu: x'
        """
        places = ((device, self.labels_on(device)) for device in self.devices)
        return "; ".join(f"{device}: {labels}" for device, labels in places if labels)


class HasScene(Protocol):
    """Any report that the device map can draw."""

    @property
    def scene(self) -> Scene:
        """What is to be drawn."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceMemory:
    """The memory of one device.

    Attributes:
        total_bytes: Its capacity; None for the host, whose memory is not torch's to report.
        free_bytes: What ``mem_get_info`` says is free once the tensors are there.
        used_bytes: What the tensors of this experiment take.
        reserved_bytes: What PyTorch has taken from the device for tensors, now or later.
    """

    device: DeviceName
    is_simulated: bool
    used_bytes: int
    reserved_bytes: int = 0
    total_bytes: int | None = None
    free_bytes: int | None = None

    @property
    def kept_bytes(self) -> int:
        """What PyTorch has taken beyond its tensors: it asks the device for whole blocks."""
        return max(0, self.reserved_bytes - self.used_bytes)

    @property
    def other_bytes(self) -> int:
        """What is neither free nor PyTorch's: other programs, and CUDA itself."""
        if self.total_bytes is None or self.free_bytes is None:
            return 0
        return max(0, self.total_bytes - self.free_bytes - self.used_bytes - self.kept_bytes)


class HasMemory(Protocol):
    """Any report that the memory bars can draw."""

    @property
    def memory(self) -> tuple[DeviceMemory, ...]:
        """Every device, in order."""
        ...

    @property
    def device(self) -> DeviceName:
        """Where the tensors were meant to go."""
        ...

    @property
    def unit_bytes(self) -> int:
        """The size of one tensor."""
        ...

    @property
    def refused_bytes(self) -> int:
        """What was asked for last and not given; 0 where all was given."""
        ...
