"""Which machine an experiment runs on, as plain data; knows no torch."""

import re
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.errors import InvalidSettingError

DeviceName = str  # "cpu", "cuda:0", "cuda:1", …


@unique
class MachineKind(StrEnum):
    """The server's own hardware, or a simulated host."""

    REAL = "real"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A host to run an experiment on; the default works anywhere.

    Attributes:
        kind: Real, or simulated. ``gpus`` and ``memory_gib`` describe simulated machines only.
        gpus: How many simulated CUDA devices.
        memory_gib: Memory of each simulated device, GiB.

    Raises:
        InvalidSettingError: A value is outside the bounds below.
    """

    MOST_GPUS: ClassVar[int] = 8
    LEAST_MEMORY_GIB: ClassVar[float] = 0.25
    MOST_MEMORY_GIB: ClassVar[float] = 80.0

    kind: MachineKind = MachineKind.SIMULATED
    gpus: int = 2
    memory_gib: float = 8.0

    def __post_init__(self) -> None:
        """Refuse a machine that cannot be."""
        if self.kind not in set(MachineKind):
            allowed = ", ".join(MachineKind)
            raise InvalidSettingError("choice", field="machine", given=self.kind, allowed=allowed)
        if not 0 <= self.gpus <= self.MOST_GPUS:
            raise InvalidSettingError(
                "bounds", field="gpus", given=self.gpus, least=0, most=self.MOST_GPUS
            )
        if not self.LEAST_MEMORY_GIB <= self.memory_gib <= self.MOST_MEMORY_GIB:
            raise InvalidSettingError(
                "bounds",
                field="memory_gib",
                given=self.memory_gib,
                least=self.LEAST_MEMORY_GIB,
                most=self.MOST_MEMORY_GIB,
            )

    @property
    def is_simulated(self) -> bool:
        """Whether what this machine answers must be marked as simulated."""
        return self.kind == MachineKind.SIMULATED


def device_names(gpus: int) -> tuple[DeviceName, ...]:
    """Name every device of a host with so many GPUs.

    >>> device_names(2)
    ('cpu', 'cuda:0', 'cuda:1')
    """
    return ("cpu", *(f"cuda:{index}" for index in range(gpus)))


def check_device(field: str, given: DeviceName, machine: Machine) -> None:
    """Refuse a device name that no machine has, or that this simulated machine has not.

    On the real machine any CUDA index passes: whether it is there is for torch to say.

    Raises:
        InvalidSettingError: ``given`` is not ``cpu`` or ``cuda:<index>`` with a possible index.
    """
    allowed = device_names(machine.gpus if machine.is_simulated else Machine.MOST_GPUS)
    if machine.kind == MachineKind.REAL and re.fullmatch(r"cuda:\d{1,2}", given):
        return
    if given not in allowed:
        raise InvalidSettingError("choice", field=field, given=given, allowed=", ".join(allowed))
