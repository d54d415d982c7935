"""Settings whose experiments do what real ones should not: die, hang, alter everything."""

import importlib
import re
from dataclasses import dataclass
from typing import Any, ClassVar

from playground.compute.settings import Settings
from playground.compute.streaming import StreamSettings
from playground.machines import Machine

WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])")


class InExperiment:
    """Settings whose experiment is the function of their name in the module ``experiment`` beside.

    That module has torch, which the web process must not load.
    """

    __slots__ = ()

    def experiment(self, *report_progress: Any) -> Any:
        kind = type(self)
        beside = importlib.import_module(f"{kind.__module__.rpartition('.')[0]}.experiment")
        return getattr(beside, WORD_START.sub("_", kind.__name__).lower())(self, *report_progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddUpReport:
    total: float
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AddUp(InExperiment, Settings[AddUpReport]):
    machine: Machine = Machine()
    count: float = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureAddUp(InExperiment, Settings[AddUpReport]):
    deterministic: ClassVar[bool] = False
    count: float = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureStep(InExperiment, Settings[float]):
    """One training step of a small perceptron; its loss."""

    deterministic: ClassVar[bool] = False
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait(InExperiment, Settings[int]):
    """Wait until the file ``gate`` is there, if one is named; return the worker's process id.

    ``note`` names a file in which it notes that it runs.
    """

    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 120.0
    machine: Machine = Machine()
    gate: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureWait(InExperiment, Settings[tuple[float, float]]):
    """Wait in the same way, and return when it began and when it ended."""

    deterministic: ClassVar[bool] = False
    measures: ClassVar[bool] = True
    timeout_seconds: ClassVar[float] = 120.0
    gate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitOnce(Wait):
    """``Wait``, deterministic."""

    deterministic: ClassVar[bool] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Die(InExperiment, Settings[None]):
    """End the worker: segfault, exit, exit-255, kill; or stay: hang, hang-deaf.

    ``note`` names a file in which it notes that it ran.
    """

    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 0.5
    machine: Machine = Machine()
    way: str = "exit"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail(InExperiment, Settings[None]):
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
class SeeProcess(InExperiment, Settings[SeeProcessReport]):
    deterministic: ClassVar[bool] = False
    machine: Machine = Machine()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadState(InExperiment, Settings[tuple[tuple[str, str], ...]]):
    """Read every global that ``WreckState`` alters."""

    deterministic: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WreckState(InExperiment, Settings[tuple[tuple[str, str], ...]]):
    """Alter every global, and return what is then read."""

    deterministic: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    count: int
    filling: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountUp(InExperiment, StreamSettings[int, Counted]):
    """Report each number, then end: die, hang, hang-deaf, raise, playground.

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
class CountUpOnce(CountUp):
    """The same, deterministic."""

    deterministic: ClassVar[bool] = True
