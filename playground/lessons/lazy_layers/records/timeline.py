"""A lazy network, stopped and asked: constructed, moved, in its first forward, and after it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings, check_bounds
from playground.explained import Quiet, Table, Told
from playground.lessons.lazy_layers.records.answers import (
    OWN,
    SEEDS,
    Answer,
    Shape,
    answers_in_full,
    cut,
)
from playground.lessons.lazy_layers.records.choices import Batch, Probe, StageName
from playground.machines.machine import DeviceName, Machine
from playground.modules.spec import Network
from playground.modules.spec.lazy import postponed

MOST_SHOWN = 12  # characters of an answer in the table


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenLayer:
    """One layer that was lazy at first, as it is now.

    Attributes:
        weight: What its first parameter is called; empty where it has none.
        kind: The class of that parameter: ``"UninitializedParameter"``, later ``"Parameter"``.
        shape: None while it has none.
    """

    path: str
    type_name: str
    weight: str
    kind: str
    shape: Shape | None
    device: DeviceName

    @property
    def is_lazy(self) -> bool:
        """It still waits for a batch."""
        return self.type_name.startswith("Lazy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stop.

    Attributes:
        layers: All layers that were lazy at first, in the order of construction.
        answers: What the first of them, or the whole network, says to each ``Probe``.
        parameters: How many values the network has; None while that cannot be told.
    """

    name: StageName
    layers: tuple[SeenLayer, ...]
    answers: tuple[Answer, ...]
    parameters: int | None

    def answer(self, probe: Probe | str) -> Answer:
        """What was said to one of the questions."""
        return self.answers[list(Probe).index(Probe(probe))]

    @property
    def shape(self) -> Shape | None:
        """The shape of the first lazy layer's weight; None while it has none."""
        return self.layers[0].shape if self.layers else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyTimelineReport(Quiet):
    """Every stop that the network came to.

    Attributes:
        outcome: Of the move, if that failed, else of the first forward.
        batch_shape: Of the first input.
        output_shape: None where nothing came out, or more than one tensor.
        same_objects: The layers and weights are the objects that they were, in new classes.
    """

    stages: tuple[Stage, ...]
    batch_shape: Shape
    output_shape: Shape | None
    device: DeviceName
    is_simulated: bool
    same_objects: bool

    @property
    def shape(self) -> Shape | None:
        """What the first weight's shape became."""
        return self.stages[-1].shape

    @property
    def actual(self) -> str:
        """The shape that the first weight has in the end."""
        return "no_shape" if self.shape is None else str(self.shape)

    @property
    def answers(self) -> tuple[str, ...] | None:
        """That shape, the other way round, the batch's own, and none."""
        turned = () if self.shape is None else (str(self.shape), str(self.shape[::-1]))
        shapes = dict.fromkeys((*turned, str(self.batch_shape)))
        return (*sorted(shapes), "no_shape")

    @property
    def waiting(self) -> tuple[str, ...]:
        """The layers that are still lazy in the end."""
        return tuple(each.path for each in self.stages[-1].layers if each.is_lazy)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        last = self.stages[-1]
        return {
            "output_shape": None if self.output_shape is None else str(self.output_shape),
            "parameters": None if last.parameters is None else f"{last.parameters:,}",
            "same_objects": self.same_objects if self.shape else None,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the first layer before and after."""
        first, last = self.stages[0].layers[:1], self.stages[-1].layers[:1]
        return {
            **self.told,
            "lazy_type": first[0].type_name if first else "—",
            "type": last[0].type_name if last else "—",
            "shape": str(self.shape),
            "batch": str(self.batch_shape),
            "device": self.device,
            "waiting": ", ".join(self.waiting) or "—",
            "count": len(self.stages[0].layers),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.stages[0].layers:
            return "nothing-is-lazy"
        if len(self.stages) < len(StageName) - 1:
            return "never-moved" if len(self.stages) == 1 else "stopped-before"
        if not self.outcome.ok:
            return "failed-and-shaped" if self.shape else "stopped-before"
        return "shaped-in-order" if self.shape else "nothing-to-shape"

    @property
    def is_drawn(self) -> bool:
        """There is a layer to follow."""
        return bool(self.stages[0].layers)

    @property
    def in_full(self) -> str:
        """Every error of the table."""
        return answers_in_full(
            {
                probe.code: stage.answer(probe)
                for stage in reversed(self.stages)  # where it fails twice, the first time stays
                if stage.answers
                for probe in Probe
                if not stage.answer(probe).outcome.ok
            }
        )

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """What is said to each question, stop by stop."""
        del words
        stages = [stage for stage in self.stages if stage.answers]
        if not stages:
            return ()
        rows = tuple(
            (
                probe.code,
                *(_brief(stage.answer(probe)) for stage in stages),
            )
            for probe in Probe
        )
        return ((("question", *(stage.name for stage in stages)), rows),)

    @property
    def pictured(self) -> Told:
        """The shapes, stop by stop."""
        stops = (
            f"{stage.name}: "
            + ", ".join(f"{each.path or 'net'} {each.shape or '?'}" for each in stage.layers)
            for stage in self.stages
        )
        return {"stops": "; ".join(stops)}


def _brief(answer: Answer) -> str:
    return cut(answer.text, MOST_SHOWN) if answer.outcome.ok else answer.short


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyTimeline(Settings[LazyTimelineReport]):
    """Follow a network whose layers are made lazy, up to and through its first batch.

    Args:
        network: As JSON, with its sizes; its layers that can be lazy are made so.
    """

    BOUNDS: ClassVar[Bounds] = {"seed": SEEDS}

    machine: Machine = Machine()
    network: str = OWN
    device: DeviceName = "cuda:0"
    batch: Batch = Batch.FITTING
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        self.check_types()
        check_bounds(self)
        Network.from_json(self.network)

    @property
    def lazy(self) -> Network:
        """The network, made lazy."""
        return postponed(Network.from_json(self.network))
