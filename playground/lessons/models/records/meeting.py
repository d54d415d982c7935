"""What comes of a batch, a model, labels and a loss that are here and there."""

from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.explained import Told
from playground.lessons.models.records.choices import Layer
from playground.lessons.models.records.explained import Explained, Lane
from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A batch on one device and a model on another, and what torch says."""

    batch: DeviceName
    model: DeviceName
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedModelReport(Explained):
    """Torch's answer to a batch and a layer, and to every other pair of devices.

    Attributes:
        named_argument: The argument that the message names, where it does.
        pairs: Every batch device with every model device.
        fixed_outcome: The same with the batch moved to the model; None where nothing was wrong.
    """

    layer: Layer
    batch: DeviceName
    model: DeviceName
    result_device: DeviceName | None
    named_argument: str | None
    fixed_outcome: Outcome | None
    pairs: tuple[Pair, ...]

    @property
    def is_fixed(self) -> bool:
        """The offered fix was needed, and works."""
        return self.fixed_outcome is not None and self.fixed_outcome.ok

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"result_device": self.result_device, "named_argument": self.named_argument}

    @property
    def mentions(self) -> Told:
        """The facts, and the places."""
        return {**self.told, "batch": self.batch, "model": self.model}

    @property
    def working(self) -> int:
        """How many pairs work."""
        return sum(pair.outcome.ok for pair in self.pairs)

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.has(self.batch, self.model):
            return "no-such-device"
        if self.outcome.ok:
            return "batch-beside-model"
        if self.named_argument == "mat1":
            return "names-mat1"
        return "names-argument" if self.named_argument else "names-no-argument"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """Batch and model, and the result."""
        is_apart = not self.outcome.ok
        lanes = [
            Lane(label="X", before=self.batch, after=self.batch, is_trouble=is_apart),
            Lane(label="net", before=self.model, after=self.model),
        ]
        if self.result_device:
            lanes.append(Lane(label="Y", before=None, after=self.result_device))
        return tuple(lanes)

    @property
    def pictured(self) -> Mapping[str, str]:
        """How many pairs work."""
        return {"works": str(self.working), "pairs": str(len(self.pairs))}


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeLossReport(Explained):
    """A batch through a network into a weighted loss.

    Attributes:
        stage: Where torch refused: ``"network"`` or ``"loss"``; None where it did not.
        named_argument: The argument that the message names.
        loss_buffers, loss_parameters: What the loss has registered.
        moves: The lines that bring everything to the model.
        fixed_outcome: With those lines; None where nothing was wrong.
    """

    batch: DeviceName
    model: DeviceName
    labels: DeviceName
    weight: DeviceName
    stage: str | None
    named_argument: str | None
    loss_device: DeviceName | None
    loss_buffers: tuple[str, ...]
    loss_parameters: int
    moves: tuple[str, ...]
    fixed_outcome: Outcome | None

    @property
    def actual(self) -> str:
        """What the message names."""
        if self.outcome.ok:
            return "nothing"
        return self.named_argument or "other"

    @property
    def is_fixed(self) -> bool:
        """The lines were needed, and work."""
        return self.fixed_outcome is not None and self.fixed_outcome.ok

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "named_argument": self.named_argument,
            "loss_device": self.loss_device,
            "loss_buffers": ", ".join(self.loss_buffers) or None,
            "loss_parameters": self.loss_parameters if self.loss_buffers else None,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the places."""
        places = {"batch": self.batch, "model": self.model, "labels": self.labels}
        return {**self.told, **places, "weight": self.weight}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.has(self.batch, self.model, self.labels, self.weight):
            return "no-such-device"
        if self.outcome.ok:
            return "all-together"
        if self.stage == "network":
            return "batch-elsewhere"
        return "labels-elsewhere" if self.named_argument == "target" else "weight-elsewhere"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """All four, those marked that are not where the model is."""
        places = (
            ("X", self.batch),
            ("net", self.model),
            ("y", self.labels),
            ("criterion.weight", self.weight),
        )
        return tuple(
            Lane(label=label, before=place, after=place, is_trouble=place != self.model)
            for label, place in places
        )
