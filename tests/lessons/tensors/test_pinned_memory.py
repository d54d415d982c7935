import pytest

from playground.lessons.tensors.pinned_memory import PinnedMemory
from playground.machines import Machine, MachineKind
from tests.answers import answer_once, assert_answer


def test_a_tensor_on_a_gpu_cannot_be_pinned():
    message = "cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned"
    fix = ("p = x.pin_memory()", "p = x.cpu().pin_memory()")

    answer = assert_answer(PinnedMemory(device="cuda:0"), error="RuntimeError", fix=fix)
    assert answer.outcome.message == message


def test_a_tensor_on_the_cpu_can_be_pinned_and_stays_as_it_is_if_there_is_a_gpu():
    step, alone = PinnedMemory(device="cpu"), Machine(gpus=0)

    assert_answer(step, explanation="page-locked", printed="False True\n")
    assert_answer(step.replaced(machine=alone), explanation="pinning-needs-gpu")


@pytest.mark.parametrize("device", ["cpu", "cuda:0", "cuda:1"])
def test_the_fixed_program_sends_to_a_gpu_without_waiting(device):
    step = PinnedMemory(device=device, is_fixed=True)

    assert answer_once(step).data == ("x", "p", "y")
    assert "non_blocking=True" in step.program()


@pytest.mark.parametrize(("kind", "count"), [(MachineKind.SIMULATED, 1), (MachineKind.REAL, 0)])
def test_only_a_simulated_gpu_has_a_dotted_outline(kind, count):
    step = PinnedMemory(machine=Machine(kind=kind), device="cpu")

    picture = step.picture(None, {"thick": "", "buffer": ""})

    assert picture.svg.count("stroke-dasharray") == count
