import pytest

from playground.lessons.models.move_in_place import Assignment, Method, MoveInPlace
from playground.machines import Machine
from tests.answers import assert_answer

ARRIVES = {Method.CUDA: "cuda:0", Method.CUDA_1: "cuda:1", Method.TO: "cuda:1", Method.CPU: "cpu"}


@pytest.mark.parametrize("start", ["cpu", "cuda:0"])
@pytest.mark.parametrize("method", Method)
@pytest.mark.parametrize("assignment", Assignment)
def test_a_module_needs_no_assignment_and_a_tensor_does(start, method, assignment):
    arrives = ARRIVES[method]
    x = arrives if assignment is Assignment.SAME_NAME else start
    assert_answer(
        MoveInPlace(start=start, method=method, assignment=assignment),
        net_device=arrives,
        x_device=x,
        printed=f"{arrives != 'cpu'} {x != 'cpu'}\nTrue True\n",
        is_silent=arrives != x,
        has_fix=arrives != x,
    )


def test_a_missing_gpu_is_refused_in_the_line_of_the_module():
    step = MoveInPlace(machine=Machine(gpus=1), method=Method.CUDA_1)
    assert_answer(step, explanation="no-such-device", stopped_at=7)
