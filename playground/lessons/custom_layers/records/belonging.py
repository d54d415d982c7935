"""What comes of a tensor that a module holds, or a layer that a network holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique

from playground.explained import Cell, Table, Told
from playground.lessons.custom_layers.records.choices import Assignment, Holding
from playground.lessons.custom_layers.records.explained import Explained
from playground.machines.machine import DeviceName


@unique
class Duty(StrEnum):
    """What a layer can do as a part of a network."""

    COUNTED = "counted"
    KEPT = "kept"
    LOADED = "loaded"
    MOVED = "moved"
    TRAINED = "trained"
    PRINTED = "printed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A network as its layers let it be seen.

    Attributes:
        tensors: Path, shape and device after the move of each entry of the ``state_dict``.
        parameters: How many numbers it learns.
        size_bytes: What they take.
        loads: Another such network that loads its file gives the same output.
        trains: A step of an optimizer changes every parameter.
        text: What ``print(net[0])`` says.
    """

    tensors: tuple[tuple[str, tuple[int, ...], DeviceName | None], ...]
    parameters: int
    size_bytes: int
    loads: bool
    trains: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UseAsComponentReport(Explained):
    """A network of our own layers beside one of ``nn.Linear``."""

    device: DeviceName
    own: Part
    linear: Part

    @property
    def size_bytes(self) -> int:
        """What the parameters of our own take."""
        return self.own.size_bytes

    def does(self, part: Part) -> Mapping[Duty, Cell]:
        """What a network answers to each duty."""
        return {
            Duty.COUNTED: part.parameters,
            Duty.KEPT: ", ".join(path for path, _, _ in part.tensors),
            Duty.LOADED: part.loads,
            Duty.MOVED: ", ".join(dict.fromkeys(str(place) for _, _, place in part.tensors)),
            Duty.TRAINED: part.trains,
            Duty.PRINTED: part.text,
        }

    @property
    def differing(self) -> tuple[Duty, ...]:
        """The duties in which the two networks differ."""
        own, linear = self.does(self.own), self.does(self.linear)
        return tuple(duty for duty in Duty if own[duty] != linear[duty])

    @property
    def actual(self) -> str:
        """The one duty in which they differ."""
        return self.differing[0] if len(self.differing) == 1 else "other"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"parameters": self.own.parameters, "size_bytes": self.own.size_bytes}

    @property
    def mentions(self) -> Told:
        """The facts, the device, and what is printed."""
        return {
            **self.told,
            "device": self.device,
            "own_text": self.own.text,
            "linear_text": self.linear.text,
        }

    @property
    def is_drawn(self) -> bool:
        """The tables say it all."""
        return False

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return "a-layer-like-any-other" if self.outcome.ok else "no-such-device"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Duty by duty, then tensor by tensor."""
        own, linear = self.does(self.own), self.does(self.linear)
        duties = tuple((words[f"duty_{duty}"], own[duty], linear[duty]) for duty in Duty)
        tensors = tuple(
            (path, str(shape), str(other[1]), place)
            for (path, shape, place), other in zip(
                self.own.tensors, self.linear.tensors, strict=True
            )
        )
        return (
            (("duty", "own_layer", "linear_layer"), duties),
            (("name", "own_layer", "linear_layer", "after_move"), tensors),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What PyTorch does for a tensor that is held in one of the ways.

    Attributes:
        in_parameters, in_state_dict: It is found there.
        has_gradient: ``backward`` gave it one.
        is_trained: The optimizer changed it.
        device: Where it is after the network moved; None if the network did not.
    """

    holding: Holding
    in_parameters: bool
    in_state_dict: bool
    has_gradient: bool
    is_trained: bool
    device: DeviceName | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldTensorReport(Explained):
    """One way of holding a tensor, and all the others beside it.

    Attributes:
        device: Where the network was moved.
        every: All ways of holding, each tried with the same lines.
    """

    holding: Holding
    device: DeviceName
    every: tuple[Held, ...]

    @property
    def chosen(self) -> Held:
        """The way that was chosen."""
        return next(held for held in self.every if held.holding is self.holding)

    @property
    def is_moved(self) -> bool:
        """The tensor has gone along with the network, away from the CPU."""
        return self.device != "cpu" and self.chosen.device == self.device

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"scale_device": self.chosen.device}

    @property
    def mentions(self) -> Told:
        """The facts, and the device."""
        ways = "; ".join(f"{held.holding}: {_marks(held, self.device)}" for held in self.every)
        return {"place": self.chosen.device, "device": self.device, "ways": ways}

    @property
    def is_drawn(self) -> bool:
        """The network was moved."""
        return self.chosen.device is not None

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.chosen.device is None:
            return "no-such-device"
        return f"held-as-{self.holding}" if self.outcome.ok else f"left-behind-{self.holding}"


def _marks(held: Held, device: DeviceName) -> str:
    marks = (
        ("parameters()", held.in_parameters),
        ("state_dict()", held.in_state_dict),
        (".to", held.device == device),
        (".grad", held.has_gradient),
        ("optimizer.step()", held.is_trained),
    )
    return ", ".join(name for name, is_so in marks if is_so) or "—"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignWeightReport(Explained):
    """A layer whose weight was assigned to, and its optimizer.

    Attributes:
        stage: Where torch refused: ``"assignment"`` or ``"forward"``; None where it did not.
        type_name: What ``layer.weight`` is now.
        in_parameters, in_state_dict: It is found there.
        is_same_object: It is the object that it was.
        is_held: The optimizer holds it.
        has_trained: A step of the optimizer changed it; None where there was no step.
    """

    assignment: Assignment
    stage: str | None
    type_name: str
    in_parameters: bool
    in_state_dict: bool
    is_same_object: bool
    is_held: bool
    has_trained: bool | None

    @property
    def actual(self) -> str:
        """Whether the weight is trained, or torch's refusal."""
        if not self.outcome.ok:
            return self.outcome.error_type
        return "trained" if self.has_trained else "untrained"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "type_name": self.type_name,
            "in_parameters": self.in_parameters,
            "in_state_dict": self.in_state_dict,
            "is_same_object": self.is_same_object,
            "is_held": self.is_held,
            "has_trained": self.has_trained,
        }

    @property
    def is_drawn(self) -> bool:
        """The facts say it all."""
        return False

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return f"assign-{self.assignment}"
