"""What the experiments answer that look at a computer; plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from playground.compute.outcome import Outcome
from playground.lessons.devices.records.choices import MemoryMoment
from playground.lessons.devices.records.explained import Explained, Fact, Told
from playground.machines.hardware import Accelerator, Inventory
from playground.machines.nvidia_smi import NvidiaSmi
from playground.units import format_bytes

SMI_FIELDS: Mapping[str, str] = MappingProxyType(
    {  # in the order in which nvidia-smi prints them
        "CUDA Version": "smi-cuda-version",
        "GPU": "smi-gpu",
        "Temp": "smi-temp",
        "Perf": "smi-perf",
        "Pwr:Usage/Cap": "smi-power",
        "Memory-Usage": "smi-memory",
        "GPU-Util": "smi-util",
        "MIG M.": "smi-mig",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadServerReport(Explained):
    """This server, and the same as text for a bug report."""

    inventory: Inventory
    text: str

    @property
    def facts(self) -> Mapping[str, Fact]:
        """The readings by label."""
        server = self.inventory
        return {
            "torch": server.torch_version,
            "cuda-build": server.cuda_build,
            "rocm-build": server.hip_build,
            "cudnn": server.cudnn_version,
            "driver": server.driver_version,
            "python": server.python_version,
            "system": server.operating_system,
            "processor": server.processor,
            "cores": server.cores,
            "threads": server.threads,
            "memory": _size(server.memory_total_bytes),
            "accelerator-available": server.accelerator_is_available,
            "accelerator-type": server.accelerator_type,
            "accelerator-count": server.accelerator_count,
        }

    @property
    def why(self) -> str:
        """Which explanation fits."""
        if self.inventory.accelerator_is_available:
            return "server-ready"
        return "server-unready" if self.inventory.accelerators else "server-cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadGpusReport(Explained):
    """The accelerators of a machine, of which one was asked for.

    Attributes:
        chosen: The one asked for; None where the machine has none at that place.
        driver_version: Of the NVIDIA driver, which simulated GPUs do not have.
    """

    accelerators: tuple[Accelerator, ...]
    chosen: Accelerator | None
    accelerator_type: str | None
    is_simulated: bool
    driver_version: str | None

    @property
    def count(self) -> int:
        """How many of them this PyTorch can use."""
        return sum(accelerator.device is not None for accelerator in self.accelerators)

    @property
    def machine_facts(self) -> Mapping[str, Fact]:
        """What torch.accelerator says on this machine, by label."""
        return {
            "accelerator-available": self.accelerator_type is not None,
            "accelerator-type": self.accelerator_type,
            "accelerator-count": self.count,
        }

    @property
    def facts(self) -> Mapping[str, Fact]:
        """The readings of the chosen one by label; absent ones are None."""
        gpu = self.chosen
        if gpu is None:
            return self.machine_facts
        return {
            "name": gpu.name,
            "device": gpu.device,
            "kind": gpu.kind.value,
            "nvidia-smi-index": gpu.physical_index,
            "uuid": gpu.uuid,
            "capability": gpu.compute_capability or gpu.architecture,
            "multiprocessors": gpu.multiprocessors,
            "memory-total": _size(gpu.memory_total_bytes),
            "memory-used": _size(gpu.memory_used_bytes),
            "memory-free": _size(gpu.memory_free_bytes),
            "driver": self.driver_version,
            "temperature": _with_unit(gpu.temperature_celsius, "°C"),
            "utilisation": _with_unit(gpu.utilisation_percent, "%"),
            "power": _with_unit(gpu.power_watts, "W"),
        }

    @property
    def where(self) -> str:
        """Which sentence says whether the lessons run on the server or on a simulated machine."""
        return "where-simulated" if self.is_simulated else "where-server"

    @property
    def why(self) -> str:
        """Which explanation fits."""
        if self.chosen is None:
            return "no-gpu-there"
        if self.is_simulated:
            return "simulated-gpu"
        return f"gpu-{self.chosen.kind}" if self.chosen.device else "gpu-unusable"

    @property
    def told(self) -> Told:
        """What the explanation mentions."""
        return {"count": self.count}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNvidiaSmiReport(Explained):
    """What nvidia-smi answered on this server."""

    answer: NvidiaSmi

    @property
    def is_there(self) -> bool:
        """Whether this server has an nvidia-smi."""
        return self.answer.state != "absent"

    @property
    def printed(self) -> str:
        """Its table of GPUs, or its complaint."""
        return self.answer.output

    @property
    def why(self) -> str:
        """Which explanation fits."""
        return f"smi-{self.answer.state}"

    @staticmethod
    def rows(words: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """The fields of nvidia-smi with what each means, in the visitor's words."""
        return tuple((field, words[label]) for field, label in SMI_FIELDS.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFigures:
    """Three figures for the memory of one GPU at one moment.

    Attributes:
        allocated_bytes: In tensors.
        reserved_bytes: Held by PyTorch, for tensors now and later.
        used_bytes: Gone from the GPU, whoever has it: what nvidia-smi shows.
    """

    moment: MemoryMoment
    allocated_bytes: int
    reserved_bytes: int
    used_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareMemoryFiguresReport(Explained):
    """The figures at each moment; none where the machine has no GPU, with torch's words."""

    outcome: Outcome
    figures: tuple[MemoryFigures, ...] = ()

    @property
    def said(self) -> Outcome | None:
        """Torch's refusal where there is no GPU."""
        return None if self.outcome.ok else self.outcome

    @property
    def actual(self) -> str:
        """Which figures fall with ``del``: ``"allocated"``, ``"both"`` or ``"none"``."""
        held, deleted = self._at(MemoryMoment.HELD), self._at(MemoryMoment.DELETED)
        if held is None or deleted is None:
            return "none"
        allocated_falls = deleted.allocated_bytes < held.allocated_bytes
        reserved_falls = deleted.reserved_bytes < held.reserved_bytes
        if allocated_falls and reserved_falls:
            return "both"
        return "allocated" if allocated_falls else "none"

    @property
    def why(self) -> str:
        """Which explanation fits."""
        return f"memory-{self.actual}" if self.outcome.ok else "memory-no-gpu"

    @property
    def told(self) -> Told:
        """What the explanation mentions."""
        held, deleted = self._at(MemoryMoment.HELD), self._at(MemoryMoment.DELETED)
        return {
            "allocated": _size(held.allocated_bytes if held else None),
            "reserved": _size(held.reserved_bytes if held else None),
            "kept": _size(deleted.reserved_bytes if deleted else None),
        }

    def _at(self, moment: MemoryMoment) -> MemoryFigures | None:
        return next((each for each in self.figures if each.moment == moment), None)


def _size(size_bytes: int | None) -> str | None:
    return None if size_bytes is None else format_bytes(size_bytes)


def _with_unit(value: float | None, unit: str) -> str | None:
    return None if value is None else f"{value} {unit}"
