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
class Rest(Settings[float]):
    """Sleep, note that it ran in a file if one is named, and return the seconds."""

    deterministic: ClassVar[bool] = False
    machine: Machine = Machine()
    seconds: float = 0.1
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRest(Settings[tuple[float, float]]):
    """Sleep, and return when it began and when it ended."""

    deterministic: ClassVar[bool] = False
    measures: ClassVar[bool] = True
    seconds: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class RestOnce(Settings[float]):
    """The same, deterministic."""

    seconds: float = 0.1
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
    """Tell each number with a pause after it, then end: die, hang, hang-deaf, raise, playground."""

    deterministic: ClassVar[bool] = False
    total: int = 5
    pause_seconds: float = 0.0
    filling_bytes: int = 0
    note: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountUpOnce(StreamSettings[int, Counted]):
    """The same, deterministic."""

    total: int = 5
    pause_seconds: float = 0.0
    note: str = ""
