"""A real GPU answers as the simulated one, and what is measured on it holds on any."""

import pytest
import torch

from playground.lessons.devices.current_device import Call, CurrentDevice
from playground.lessons.devices.default_device import DefaultDevice, Factory
from playground.lessons.devices.device_agnostic import DeviceAgnostic
from playground.lessons.devices.device_equality import DeviceEquality
from playground.lessons.devices.device_object import DeviceObject
from playground.lessons.devices.memory_figures import Action, MemoryFigures
from playground.lessons.devices.try_gpu import TryGpu
from playground.lessons.models.input_and_model import InputAndModel, Layer
from playground.lessons.models.lazy_network import LazyNetwork
from playground.lessons.models.loss import Criterion, Loss, Move
from playground.lessons.models.move_in_place import MoveInPlace
from playground.lessons.models.optimizer import Kind, Optimizer
from playground.lessons.models.optimizer import Move as OptimizerMove
from playground.lessons.models.reading_back import Reading, ReadingBack
from playground.lessons.models.what_moved import Holding, WhatMoved
from playground.lessons.models.where_is_a_model import WhereIsAModel
from playground.lessons.tensors.transfer import Transfer
from playground.lessons.timing.bandwidth import Bandwidth
from playground.lessons.timing.clocks import Clocks
from playground.lessons.timing.interpreter_lock import InterpreterLock
from playground.lessons.timing.logging import Logging
from playground.lessons.timing.pieces import Pieces
from playground.lessons.timing.products import Products
from playground.lessons.training.same_curve import SameCurve, Second
from playground.machines import Machine, MachineKind
from tests.answers import answer, answer_once

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA"),
]
REAL = Machine(kind=MachineKind.REAL)
STEPS = (
    *(DeviceObject(text=text) for text in ("cuda", "cuda:0", "cuda:256", "cuda:300", "cuda:01")),
    *(CurrentDevice(index=0, call=call) for call in Call),
    *(DefaultDevice(device="cuda:0", factory=factory) for factory in Factory),
    *(MemoryFigures(action=action) for action in Action),
    *(DeviceEquality(), TryGpu(index=8), DeviceAgnostic()),
    *(InputAndModel(layer=layer) for layer in Layer),
    *(InputAndModel(layer=layer, model="cpu", batch="cuda:0") for layer in Layer),
    *(Loss(criterion=each, labels=place) for each in Criterion for place in ("cpu", "cuda:0")),
    *(Optimizer(kind=kind, steps=steps) for kind in Kind for steps in (0, 1)),
    *(WhatMoved(holding=holding) for holding in Holding),
    *(WhereIsAModel(), MoveInPlace(), LazyNetwork(), Loss(move=Move.CUDA)),
    Optimizer(move=OptimizerMove.REPLACED),
)
MEASURED = {
    Products(machine=REAL): {"gpu-is-faster", "gpu-is-slower"},
    Clocks(machine=REAL): {"only-launched", "gpu-kept-up"},
    Bandwidth(machine=REAL): {"over-the-bus"},
    Pieces(machine=REAL): {"every-call-costs"},
    Logging(machine=REAL): {"gpu-was-waited-for", "gpu-kept-up"},
    InterpreterLock(machine=REAL): {"lock-given-back"},
}


@pytest.mark.parametrize("step", STEPS)
def test_a_real_gpu_answers_as_the_simulated_one(step):
    twin = step.replaced(machine=Machine(gpus=torch.cuda.device_count()))

    real, simulated = answer(step.replaced(machine=REAL)), answer(twin)

    assert (real.prediction, real.explanation) == (simulated.prediction, simulated.explanation)


@pytest.mark.parametrize("step", MEASURED)
def test_a_real_gpu_is_timed(step):
    found = answer(step)

    assert found.outcome.ok
    assert found.explanation in MEASURED[step]


def test_a_transfer_has_three_times():
    found = answer(Transfer(machine=REAL, mebibytes=16))

    assert len(found.table) == 4
    assert all(0 < returned <= done for _, returned, done, _ in found.table[1:])


def test_the_same_curve_comes_again_within_rounding():
    step = SameCurve(machine=REAL, second=Second.SAME)
    assert answer(step).prediction in ("bits", "close")


@pytest.mark.filterwarnings("ignore")  # torch warns of each call that waits
@pytest.mark.parametrize("reading", [each for each in Reading if each is not Reading.BARE_NUMPY])
def test_torch_itself_says_what_waits(reading):
    Y = torch.ones(2, 3, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        eval(reading.value, {"Y": Y})
        waited = False
    except RuntimeError:
        waited = True
    finally:
        torch.cuda.set_sync_debug_mode("default")

    assert waited == (answer_once(ReadingBack(reading=reading)).prediction == "waits")
