"""The machine that an experiment runs on, as plain data; loads no torch."""

import re
from dataclasses import dataclass
from enum import StrEnum, unique
from types import UnionType
from typing import Annotated, ClassVar

from playground.errors import InvalidSettingError

DeviceName = Annotated[str, "a device"]  # "cpu", "cuda:0", "cuda:1", …
CUDA_DEVICE = re.compile("cuda:(0|[1-9][0-9]?)")  # torch refuses "cuda:01"


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
        gpus: The number of simulated CUDA devices.
        memory_gib: The memory of each simulated device, GiB.

    Raises:
        InvalidSettingError: A value is outside the bounds below.
    """

    MAX_GPUS: ClassVar[int] = 8
    MIN_MEMORY_GIB: ClassVar[float] = 0.25
    MAX_MEMORY_GIB: ClassVar[float] = 80.0

    kind: MachineKind = MachineKind.SIMULATED
    gpus: int = 2
    memory_gib: float = 8.0

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in set(MachineKind):
            allowed = ", ".join(MachineKind)
            raise InvalidSettingError("choice", field="machine", given=self.kind, allowed=allowed)
        object.__setattr__(self, "kind", MachineKind(self.kind))  # "real" is accepted too
        self._check_number("gpus", int, 0, self.MAX_GPUS)
        self._check_number("memory_gib", int | float, self.MIN_MEMORY_GIB, self.MAX_MEMORY_GIB)

    @property
    def is_simulated(self) -> bool:
        return self.kind == MachineKind.SIMULATED

    def _check_number(
        self, field: str, kind: type[int] | UnionType, least: float, most: float
    ) -> None:
        given = getattr(self, field)
        if isinstance(given, bool) or not isinstance(given, kind) or not least <= given <= most:
            raise InvalidSettingError("bounds", field=field, given=given, least=least, most=most)


def device_names(gpus: int) -> tuple[DeviceName, ...]:
    """Return the names of all devices of a host with so many GPUs.

    >>> device_names(2)
    ('cpu', 'cuda:0', 'cuda:1')
    """
    return ("cpu", *(f"cuda:{index}" for index in range(gpus)))


def devices_of(machine: Machine) -> tuple[DeviceName, ...]:
    """Return the devices of a simulated machine, or those that a real one may have."""
    return device_names(machine.gpus if machine.is_simulated else Machine.MAX_GPUS)


def check_device(field: str, given: DeviceName, machine: Machine) -> None:
    """Check that a machine may have a device.

    On the real machine any CUDA index passes; torch checks that it exists.

    Raises:
        InvalidSettingError: ``given`` is not ``cpu`` or ``cuda:<index>`` with a possible index.
    """
    allowed = devices_of(machine)
    is_text = isinstance(given, str)
    if is_text and machine.kind == MachineKind.REAL and CUDA_DEVICE.fullmatch(given):
        return
    if not is_text or given not in allowed:
        raise InvalidSettingError("choice", field=field, given=given, allowed=", ".join(allowed))
