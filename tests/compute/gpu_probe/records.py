"""Settings whose experiments fill a GPU, lose it, or look at it."""

import importlib
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.gpu_quota import GpuQuota
from playground.compute.settings import Settings
from playground.machines import Machine, MachineKind
from tests.compute.probe.records import InExperiment

REAL = Machine(kind=MachineKind.REAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReport:
    """A worker and what it holds of its first GPU."""

    pid: int
    allocated_bytes: int
    reserved_bytes: int
    begun: float = 0.0
    ended: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCard(InExperiment, Settings[CardReport]):
    """Read the first GPU; before that wait until the file ``gate`` is there, if one is named.

    A waiting worker creates a file beside it whose name ends in its process id.
    """

    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 120.0
    machine: Machine = REAL
    gate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureCard(ReadCard):
    """The same, as a measurement."""

    measures: ClassVar[bool] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeWorker(InExperiment, Settings[int]):
    """The worker's process id; deterministic, so it is kept."""

    machine: Machine = REAL


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeMemory(InExperiment, Settings[CardReport]):
    """Take pieces of memory of the first GPU and hold them together; torch's refusal is raised.

    ``declares`` says so before; ``note`` names a file in which it notes that it ran.
    """

    deterministic: ClassVar[bool] = False
    machine: Machine = REAL
    pieces: int = 1
    piece_bytes: int = 2**20
    declares: bool = False
    note: str = ""

    def device_bytes(self) -> int:
        return self.pieces * self.piece_bytes if self.declares else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseContext(InExperiment, Settings[str]):
    """Break the CUDA context: the error is ``raised``, ``kept`` as an answer, or ``unnoticed``."""

    deterministic: ClassVar[bool] = False
    machine: Machine = REAL
    way: str = "raised"
    again: int = 0  # makes settings differ


CARD = "tests.compute.gpu_probe.card"  # it imports torch: by name, in the worker only
_installed: list[bool] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeQuota(GpuQuota):
    """Puts ``FakeCards`` into its worker, then applies the quota as always."""

    totals: tuple[int, ...]
    faults: str

    def apply(self) -> None:
        if not _installed:
            importlib.import_module(CARD).FakeCards(self.totals, self.faults).install()
            _installed.append(True)
        GpuQuota.apply(self)
