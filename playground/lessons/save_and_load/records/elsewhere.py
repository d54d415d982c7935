"""A file that was saved on a GPU, loaded on a machine that may have none."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Settings, check_within
from playground.explained import Explained, Table, Told
from playground.machines.machine import DeviceName

GPUS_WHERE_SAVED = 2


@unique
class Source(StrEnum):
    """Where the network was when it was saved."""

    FIRST_GPU = "cuda:0"
    SECOND_GPU = "cuda:1"
    CPU = "cpu"


@unique
class MapLocation(StrEnum):
    """The argument ``map_location``."""

    LEFT_OUT = "left_out"
    CPU = "cpu"
    CUDA = "cuda"
    BY_NAME = "by_name"
    FUNCTION = "function"

    @property
    def written(self) -> str:
        """The whole call of a program."""
        given = WRITTEN[self]
        return f'torch.load("mlp.params"{f", map_location={given}" if given else ""})'


WRITTEN = {
    MapLocation.LEFT_OUT: "",
    MapLocation.CPU: '"cpu"',
    MapLocation.CUDA: '"cuda"',
    MapLocation.BY_NAME: '{"cuda:0": "cpu"}',
    MapLocation.FUNCTION: "lambda storage, location: storage",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadElsewhereReport(Explained):
    """What became of the file on the other machine.

    Attributes:
        gpus: How many GPUs the other machine has.
        tags: By key, the device that is written in the file.
        devices: By key, where the tensors are after loading; empty where torch refused.
        model_device: Where a CPU model's parameters are after ``load_state_dict``; None where
            there was nothing to load.
        is_mended: ``map_location="cpu"`` worked; None where nothing had to be mended.
    """

    source: Source
    map_location: MapLocation
    gpus: int
    tags: tuple[tuple[str, DeviceName], ...]
    devices: tuple[tuple[str, DeviceName], ...]
    model_device: DeviceName | None
    is_mended: bool | None

    @property
    def device(self) -> DeviceName | None:
        """Where the tensors are; None where torch refused."""
        return self.devices[0][1] if self.devices else None

    @property
    def actual(self) -> str:
        """Where the tensors are, or torch's refusal."""
        return self.device or self.outcome.error_type

    @property
    def printed(self) -> str:
        """What the program prints."""
        return self.device or ""

    @property
    def is_fixed(self) -> bool:
        """The mended line was run, and worked."""
        return bool(self.is_mended)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "tag": self.tags[0][1],
            "loaded_on": self.device,
            "model_device": self.model_device,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the other machine."""
        return {
            "tag": self.tags[0][1],
            "loaded_on": self.device or "—",
            "gpus": self.gpus,
            "call": self.map_location.written,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            ways = {MapLocation.BY_NAME: "map-missed", MapLocation.CUDA: "asked-for-cuda"}
            return "no-such-gpu" if self.gpus else ways.get(self.map_location, "no-gpu-at-all")
        if self.source is Source.CPU and self.device == "cpu":
            return "cpu-file"
        if self.device == self.source and self.map_location is not MapLocation.CUDA:
            return "back-where-it-was"
        return "mapped"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Every key: the device in the file, the device after loading."""
        del words
        after = dict(self.devices)
        rows = tuple((key, tag, after.get(key, "—")) for key, tag in self.tags)
        return ((("key", "tag", "loaded_on"), rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadElsewhere(Settings[LoadElsewhereReport]):
    """Save on a machine with two GPUs, and load on another machine.

    Args:
        source: Where the network is when it is saved.
        gpus: How many GPUs the other machine has.
        map_location: What ``torch.load`` is told.
    """

    simulates: ClassVar[bool] = True  # both machines, whatever the visitor's is
    uses_hardware: ClassVar[bool] = False
    BOUNDS: ClassVar[Mapping[str, Mapping[str, int]]] = {"gpus": {"least": 0, "most": 4}}

    source: Source = Source.FIRST_GPU
    gpus: int = 0
    map_location: MapLocation = MapLocation.LEFT_OUT

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_within("gpus", self.gpus, **self.BOUNDS["gpus"])
