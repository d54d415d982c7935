"""What became of a network without shapes that was moved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.explained import Table, Told
from playground.lessons.models.records.explained import Explained, Lane
from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyStage:
    """One parameter at one moment."""

    stage: str
    name: str
    kind: str
    device: DeviceName
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveLazyReport(Explained):
    """A lazy model before and after a move, and after its first batch.

    Attributes:
        stages: The weight of the first and of the last layer: made, moved, fed.
        result_device: Where the result of the first batch is.
        is_mended: With the batch beside the model it works.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("name", "stage", "type", "device", "shape")

    target: DeviceName
    batch: DeviceName
    stages: tuple[LazyStage, ...]
    result_device: DeviceName | None
    is_mended: bool

    @property
    def actual(self) -> str:
        """Where the first weight is before the first batch."""
        moved = self.at("moved", "net[0].weight")
        return moved.device if moved else "other"

    @property
    def answers(self) -> tuple[str, ...]:
        """All devices, or none."""
        return (*self.devices, "nowhere")

    def at(self, stage: str, name: str) -> LazyStage | None:
        """One parameter at one moment, if it came to that."""
        found = (each for each in self.stages if (each.stage, each.name) == (stage, name))
        return next(found, None)

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The stages."""
        rows = tuple(
            (
                each.name,
                words[f"stage_{each.stage}"],
                each.kind,
                each.device,
                None if each.shape is None else str(each.shape),
            )
            for each in self.stages
        )
        return ((self.COLUMNS, rows),)

    @property
    def is_fixed(self) -> bool:
        """It failed, and with the batch beside the model it works."""
        return not self.outcome.ok and self.is_mended

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"result_device": self.result_device}

    @property
    def mentions(self) -> Told:
        """The facts, and the places."""
        first, last = self.at("fed", "net[0].weight"), self.at("fed", "net[2].weight")
        return {
            **self.told,
            "target": self.target,
            "batch": self.batch,
            "shape": str(first.shape) if first else None,
            "last_kind": last.kind if last else None,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.has(self.target, self.batch):
            return "no-such-device"
        return "lazy-remembers" if self.outcome.ok else "lazy-half-made"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """Both weights: made, then after the move; and the batch."""
        lanes = []
        for name in ("net[0].weight", "net[2].weight"):
            made, moved = self.at("made", name), self.at("moved", name)
            if made and moved:
                lanes.append(Lane(label=name, before=made.device, after=moved.device))
        is_apart = self.batch != self.target
        batch = Lane(label="X", before=self.batch, after=self.batch, is_trouble=is_apart)
        return (*lanes, batch) if self.has(self.batch) else tuple(lanes)
