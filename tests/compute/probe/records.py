"""Settings whose experiments do what real ones should not: die, hang, alter everything."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Settings
from playground.compute.streaming import StreamSettings
from playground.machines import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class AddUpReport:
    total: float
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AddUp(Settings[AddUpReport]):
    machine: Machine = Machine()
    count: float = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureAddUp(Settings[AddUpReport]):
    deterministic: ClassVar[bool] = False
    count: float = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureStep(Settings[float]):
    """One training step of a small perceptron; its loss."""

    deterministic: ClassVar[bool] = False
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait(Settings[int]):
    """Wait until the file ``gate`` is there, if one is named; return the worker's process id.

    ``note`` names a file in which it notes that it runs.
    """

    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 120.0
    machine: Machine = Machine()
    gate: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureWait(Settings[tuple[float, float]]):
    """Wait in the same way, and return when it began and when it ended."""

    deterministic: ClassVar[bool] = False
    measures: ClassVar[bool] = True
    timeout_seconds: ClassVar[float] = 120.0
    gate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitOnce(Settings[int]):
    """The same as ``Wait``, deterministic."""

    timeout_seconds: ClassVar[float] = 120.0
    gate: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Die(Settings[None]):
    """End the worker: segfault, exit, exit-255, kill; or stay: hang, hang-deaf.

    ``note`` names a file in which it notes that it ran.
    """

    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 0.5
    machine: Machine = Machine()
    way: str = "exit"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail(Settings[None]):
    """Raise: ``value``, ``playground``, ``unpicklable``, ``system-exit`` or ``report``."""

    way: str = "value"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeProcessReport:
    pid: int
    parent_pid: int
    visible_devices: str | None
    threads: int
    has_streamlit: bool
    main_file: str | None
    was_forked_warm: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeProcess(Settings[SeeProcessReport]):
    deterministic: ClassVar[bool] = False
    machine: Machine = Machine()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadState(Settings[tuple[tuple[str, str], ...]]):
    """Read every global that ``WreckState`` alters."""

    deterministic: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WreckState(Settings[tuple[tuple[str, str], ...]]):
    """Alter every global, and return what is then read."""

    deterministic: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered(Settings[None]):
    """No experiment has this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    count: int
    filling: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountUp(StreamSettings[int, Counted]):
    """Tell each number, then end: die, hang, hang-deaf, raise, playground.

    After each number it waits until the folder ``gate``, if one is named, has a file of that name.
    """

    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 120.0
    total: int = 5
    pause_seconds: float = 0.0
    gate: str = ""
    filling_bytes: int = 0
    note: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountUpOnce(StreamSettings[int, Counted]):
    """The same, deterministic."""

    timeout_seconds: ClassVar[float] = 120.0
    total: int = 5
    gate: str = ""
    note: str = ""
