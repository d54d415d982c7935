import pytest
import torch

from playground.lessons.models.input_and_model import InputAndModel, Layer
from playground.lessons.models.lazy_network import LazyNetwork
from playground.lessons.models.loss import Criterion, Loss, Move
from playground.lessons.models.move_in_place import MoveInPlace
from playground.lessons.models.optimizer import Kind, Optimizer
from playground.lessons.models.optimizer import Move as OptimizerMove
from playground.lessons.models.reading_back import Reading, ReadingBack
from playground.lessons.models.what_moved import Holding, WhatMoved
from playground.lessons.models.where_is_a_model import WhereIsAModel
from playground.machines import Machine, MachineKind
from tests.answers import answer, answer_once

REAL = Machine(kind=MachineKind.REAL)
STEPS = (
    *(InputAndModel(layer=layer) for layer in Layer),
    *(InputAndModel(layer=layer, model="cpu", batch="cuda:0") for layer in Layer),
    *(
        Loss(criterion=criterion, labels=place)
        for criterion in Criterion
        for place in ("cpu", "cuda:0")
    ),
    *(Optimizer(kind=kind, steps=steps) for kind in Kind for steps in (0, 1)),
    *(WhatMoved(holding=holding) for holding in Holding),
    *(WhereIsAModel(), MoveInPlace(), LazyNetwork(), Loss(move=Move.CUDA)),
    Optimizer(move=OptimizerMove.REPLACED),
)


@pytest.mark.gpu
@pytest.mark.parametrize("step", STEPS)
def test_a_real_gpu_answers_as_the_simulated_one(step):
    if not torch.cuda.is_available():
        pytest.skip("needs CUDA")

    real, simulated = answer(step.replaced(machine=REAL)), answer_once(step)

    assert (real.prediction, real.explanation) == (simulated.prediction, simulated.explanation)


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore")  # torch warns of each call that waits
@pytest.mark.parametrize("reading", [each for each in Reading if each is not Reading.BARE_NUMPY])
def test_torch_itself_says_what_waits(reading):
    if not torch.cuda.is_available():
        pytest.skip("needs CUDA")
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
