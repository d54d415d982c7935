import pytest

from playground.lessons.devices.try_gpu import TryGpu, Use
from playground.machines import Machine
from tests.answers import assert_answer


@pytest.mark.parametrize("gpus", [0, 1, 3])
@pytest.mark.parametrize("index", [0, 1, 4])
def test_the_helper_gives_the_gpu_or_the_cpu_and_cuda_gives_no_substitute(gpus, index):
    step, is_there = TryGpu(machine=Machine(gpus=gpus), index=index), index < gpus
    helped, direct = [f"cuda:{index}"] * 2 if is_there else ("cpu", "error")

    assert_answer(step, device=helped, num_gpus=gpus, is_silent=not is_there)
    assert_answer(step.replaced(use=Use.CUDA), prediction=direct, ok=is_there)


def test_the_default_is_the_trap_and_the_fix_says_that_the_cpu_is_used():
    fix = ("", '    print(f"no cuda:{i} here, using the CPU")')
    assert_answer(TryGpu(), device="cpu", ok=True, is_silent=True, printed="cpu\n", fix=fix)
    fixed = "no cuda:2 here, using the CPU\ncpu\n"
    assert_answer(TryGpu(is_fixed=True), printed=fixed, is_silent=False)


def test_the_body_of_the_helper_is_in_view():
    step = TryGpu()
    shown = step.program().splitlines()[step.folded_lines() :]

    assert '    return torch.device("cpu")' in shown
    assert step.asked_line() == step.program().splitlines().index(shown[-2]) + 1
