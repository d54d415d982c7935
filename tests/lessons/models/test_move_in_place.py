import pytest

from playground.lessons.models.move_in_place import Assignment, Method, MoveInPlace
from playground.machines import Machine
from tests.answers import answer_once

ARRIVES = {Method.CUDA: "cuda:0", Method.CUDA_1: "cuda:1", Method.TO: "cuda:1", Method.CPU: "cpu"}


@pytest.mark.parametrize("start", ["cpu", "cuda:0"])
@pytest.mark.parametrize("method", Method)
@pytest.mark.parametrize("assignment", Assignment)
def test_a_module_needs_no_assignment_and_a_tensor_does(start, method, assignment):
    answer = answer_once(MoveInPlace(start=start, method=method, assignment=assignment))

    arrives = ARRIVES[method]
    x = arrives if assignment is Assignment.SAME_NAME else start
    assert (answer.facts["net_device"], answer.facts["x_device"]) == (arrives, x)
    assert answer.printed == f"{arrives != 'cpu'} {x != 'cpu'}\nTrue True\n"
    assert answer.is_silent_failure == (arrives != x)
    assert (answer.fix is not None) == (arrives != x)


def test_a_missing_gpu_is_refused_in_the_line_of_the_module():
    answer = answer_once(MoveInPlace(machine=Machine(gpus=1), method=Method.CUDA_1))

    assert answer.explanation == "no-such-device"
    assert answer.stopped_at == 7
