import pytest
import torch

from playground.lessons.devices.current_device import Call, CurrentDevice
from playground.lessons.devices.default_device import DefaultDevice, Factory
from playground.lessons.devices.device_agnostic import DeviceAgnostic
from playground.lessons.devices.device_equality import DeviceEquality
from playground.lessons.devices.device_object import DeviceObject
from playground.lessons.devices.memory_figures import Action, MemoryFigures
from playground.lessons.devices.try_gpu import TryGpu
from playground.machines import Machine, MachineKind
from tests.answers import answer

REAL = Machine(kind=MachineKind.REAL)
STEPS = (
    *(DeviceObject(text=text) for text in ("cuda", "cuda:0", "cuda:256", "cuda:300", "cuda:01")),
    *(CurrentDevice(index=0, call=call) for call in Call),
    *(DefaultDevice(device="cuda:0", factory=factory) for factory in Factory),
    *(MemoryFigures(action=action) for action in Action),
    *(DeviceEquality(), TryGpu(index=8), DeviceAgnostic()),
)


@pytest.mark.gpu
@pytest.mark.parametrize("step", STEPS)
def test_a_real_gpu_answers_as_the_simulated_one(step):
    if not torch.cuda.is_available():
        pytest.skip("needs CUDA")
    twin = step.replaced(machine=Machine(gpus=torch.cuda.device_count()))

    real, simulated = answer(step.replaced(machine=REAL)), answer(twin)

    assert (real.prediction, real.explanation) == (simulated.prediction, simulated.explanation)
