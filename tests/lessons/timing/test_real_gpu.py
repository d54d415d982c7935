"""The steps that measure, on a real GPU: what must hold on any of them."""

import pytest
import torch

from playground.lessons.timing.bandwidth import Bandwidth
from playground.lessons.timing.clocks import Clocks
from playground.lessons.timing.interpreter_lock import InterpreterLock
from playground.lessons.timing.logging import Logging
from playground.lessons.timing.pieces import Pieces
from playground.lessons.timing.products import Products
from playground.machines import Machine, MachineKind
from tests.answers import answer

REAL = Machine(kind=MachineKind.REAL)
EXPLANATIONS = {
    Products(machine=REAL): {"gpu-is-faster", "gpu-is-slower"},
    Clocks(machine=REAL): {"only-launched", "gpu-kept-up"},
    Bandwidth(machine=REAL): {"over-the-bus"},
    Pieces(machine=REAL): {"every-call-costs"},
    Logging(machine=REAL): {"gpu-was-waited-for", "gpu-kept-up"},
    InterpreterLock(machine=REAL): {"lock-given-back"},
}


@pytest.mark.gpu
@pytest.mark.parametrize("step", EXPLANATIONS)
def test_a_real_gpu_is_timed(step):
    if not torch.cuda.is_available():
        pytest.skip("needs CUDA")

    found = answer(step)

    assert found.outcome.ok
    assert found.explanation in EXPLANATIONS[step]
