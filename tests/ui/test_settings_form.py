"""Settings made of controls ask for the fields that count, and for no others."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import pytest

from playground import catalog
from playground.compute.settings import Bounds, Conditions, Settings
from playground.lessons.models.records import Moment, MoveWithOptimizer
from playground.machines import DeviceName, Machine
from ui.modes import Mode
from ui.settings_form import choose
from ui.step import Step

MACHINE = Machine(gpus=3)


class MoveMethod(StrEnum):
    TO = "to"
    CPU = "cpu"


@dataclass(frozen=True, kw_only=True)
class MoveTensor(Settings[None]):
    ONLY_WITH: ClassVar[Conditions] = {"target": ("method", (MoveMethod.TO,))}

    machine: Machine = Machine()
    start: DeviceName = "cpu"
    method: MoveMethod = MoveMethod.TO
    target: DeviceName = "cuda:0"
    requires_grad: bool = False


@dataclass(frozen=True, kw_only=True)
class FillMemory(Settings[None]):
    BOUNDS: ClassVar[Bounds] = {
        "piece_gib": {"least": 0.25, "most": 8.0},
        "pieces": {"least": 1, "most": 24},
    }

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    piece_gib: float = 3.0
    pieces: int = 3


@dataclass(frozen=True, kw_only=True)
class FeedNetwork(Settings[None]):
    network: str = ""
    device: DeviceName = "cpu"


class Infinite(StrEnum):
    NOWHERE = "nowhere"
    INPUT = "input"


@dataclass(frozen=True, kw_only=True)
class CountLoops(Settings[None]):
    BOUNDS: ClassVar[Bounds] = {
        "exponent": {"least": -4, "most": 38},
        "seed": {"least": 0, "most": 999},
    }
    ONLY_WITH: ClassVar[Conditions] = {"exponent": ("infinite", (Infinite.NOWHERE,))}

    infinite: Infinite = Infinite.NOWHERE
    exponent: int = 0
    seed: int = 0


class Piece(StrEnum):
    NEST_MLP = "nest_mlp"
    LINEAR = "linear"


@dataclass(frozen=True, kw_only=True)
class NestBlocks(Settings[None]):
    first: Piece = Piece.NEST_MLP
    second: Piece = Piece.LINEAR
    third: Piece = Piece.NEST_MLP


class Use(StrEnum):
    OPTIMIZER = "optimizer"
    MOVE = "move"


@dataclass(frozen=True, kw_only=True)
class UseMySequential(Settings[None]):
    ONLY_WITH: ClassVar[Conditions] = {"device": ("use", (Use.MOVE,))}

    machine: Machine = Machine()
    use: Use = Use.MOVE
    device: DeviceName = "cuda:0"


@dataclass(frozen=True, kw_only=True)
class CenterValues(Settings[None]):
    infinite: Infinite = Infinite.NOWHERE


@dataclass(frozen=True, kw_only=True)
class UseAsComponent(Settings[None]):
    BOUNDS: ClassVar[Bounds] = {"units": {"least": 1, "most": 64}}

    machine: Machine = Machine()
    units: int = 8
    device: DeviceName = "cuda:0"


class NotedStep(Step):
    """A step that draws nothing, and notes which fields were asked for."""

    def __init__(self, values: Mapping[str, object]) -> None:
        lesson = catalog.lesson("tensors")
        super().__init__(lesson, lesson.steps[0], MACHINE, dict(values), Mode.COLLECTING)
        self.asked = []

    def read(self, field, default, draw):
        self.asked.append(field)
        return super().read(field, default, draw)


@pytest.mark.parametrize(
    ("kind", "values", "asked"),
    [
        (
            MoveTensor,
            {"method": MoveMethod.TO},
            ["start", "method", "target", "requires_grad"],
        ),
        (
            MoveTensor,
            {"method": MoveMethod.CPU},
            ["start", "method", "requires_grad"],
        ),
        (MoveWithOptimizer, {"moment": Moment.AFTER}, ["optimizer", "moment", "target"]),
        (CountLoops, {"infinite": Infinite.INPUT}, ["infinite", "seed"]),
        (NestBlocks, {}, ["first", "second", "third"]),
        (FeedNetwork, {}, ["device"]),  # the network is asked for elsewhere
    ],
)
def test_a_field_is_asked_for_in_its_place_where_it_means_something(kind, values, asked):
    step = NotedStep(values)

    chosen = choose(step, kind)

    assert step.asked == asked
    for name, value in values.items():
        assert getattr(chosen, name) == value


def test_every_kind_of_field_has_its_control():
    values = {"start": "cuda:2", "requires_grad": True, "method": MoveMethod.CPU}
    assert choose(NotedStep(values), MoveTensor) == MoveTensor(machine=MACHINE, **values)
    values = {"piece_gib": 1.5, "pieces": 4, "device": "cuda:1"}
    assert choose(NotedStep(values), FillMemory) == FillMemory(machine=MACHINE, **values)


def test_a_choice_is_kept_as_plain_text_and_is_a_member_again():
    chosen = choose(NotedStep({"method": "cpu", "start": "cuda:2"}), MoveTensor)

    assert chosen.method is MoveMethod.CPU
    assert chosen.start == "cuda:2"


def test_what_is_given_is_not_asked_for_and_names_choose_the_order():
    step = NotedStep({"third": Piece.LINEAR})

    chosen = choose(step, NestBlocks, ("third", "second"), second=Piece.NEST_MLP)

    assert step.asked == ["third"]
    assert chosen == NestBlocks(second=Piece.NEST_MLP, third=Piece.LINEAR)


def test_a_machine_is_given_to_those_that_have_one_and_badges_these_only():
    steps = [NotedStep({}), NotedStep({}), NotedStep({"use": Use.OPTIMIZER})]

    assert choose(steps[0], UseAsComponent).machine == MACHINE
    assert choose(steps[1], CenterValues) == CenterValues()
    assert choose(steps[2], UseMySequential) == UseMySequential(use=Use.OPTIMIZER)
    assert [step.uses_machine for step in steps] == [True, False, False]
