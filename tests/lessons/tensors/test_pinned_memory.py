import pytest

from playground.lessons.tensors.pinned_memory import PinnedMemory
from playground.machines import Machine, MachineKind
from tests.answers import answer_once


def test_a_tensor_on_a_gpu_cannot_be_pinned():
    answer = answer_once(PinnedMemory(device="cuda:0"))

    assert answer.outcome.error_type == "RuntimeError"
    assert answer.outcome.message == (
        "cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned"
    )
    assert answer.fix == ("p = x.pin_memory()", "p = x.cpu().pin_memory()")


def test_a_tensor_on_the_cpu_can_be_pinned_and_stays_as_it_is():
    answer = answer_once(PinnedMemory(device="cpu"))

    assert (answer.explanation, answer.printed) == ("page-locked", "False True\n")


@pytest.mark.parametrize("device", ["cpu", "cuda:0", "cuda:1"])
def test_the_fixed_program_sends_to_a_gpu_without_waiting(device):
    step = PinnedMemory(device=device, is_fixed=True)

    assert answer_once(step).data == ("x", "p", "y")
    assert "non_blocking=True" in step.program()


def test_pinning_needs_a_gpu():
    answer = answer_once(PinnedMemory(machine=Machine(gpus=0), device="cpu"))

    assert answer.explanation == "pinning-needs-gpu"


@pytest.mark.parametrize(("kind", "count"), [(MachineKind.SIMULATED, 1), (MachineKind.REAL, 0)])
def test_only_a_simulated_gpu_has_a_dotted_outline(kind: MachineKind, count: int) -> None:
    labels = {"thick": "", "buffer": ""}

    picture = PinnedMemory(machine=Machine(kind=kind), device="cpu").picture(None, labels)

    assert picture.svg.count("stroke-dasharray") == count
