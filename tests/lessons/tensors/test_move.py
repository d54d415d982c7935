import pytest

from playground.lessons.tensors.move import Assignment, Method, Move
from tests.answers import answer_once, assert_answer

DEVICES = ("cpu", "cuda:0", "cuda:1")
ARRIVES = {Method.CUDA: "cuda:0", Method.CUDA_1: "cuda:1", Method.CPU: "cpu"}


@pytest.mark.parametrize("assignment", Assignment)
@pytest.mark.parametrize("method", Method)
@pytest.mark.parametrize("start", DEVICES)
def test_only_an_assignment_to_x_changes_where_x_is(start, method, assignment):
    arrives = ARRIVES.get(method, "cuda:0")
    x = arrives if assignment is Assignment.SAME_NAME else start

    step = Move(start=start, method=method, assignment=assignment)
    assert_answer(step, prediction=x, returned_device=arrives, is_same_object=start == arrives)


def test_a_copy_without_a_name_is_a_silent_failure_with_a_fix():
    answer = assert_answer(Move(), is_silent=True, fix=('x.to("cuda:0")', 'x = x.to("cuda:0")'))
    ghosts = {each.label: each.place for each in answer.data.items if each.is_ghost}
    assert ghosts == {"nameless": "cuda:0"}


def test_the_original_loses_its_name_to_the_copy():
    drawn = answer_once(Move(assignment=Assignment.SAME_NAME)).data

    items = {each.label: (each.place, each.is_ghost) for each in drawn.items}
    assert items == {"nameless": ("cpu", True), "x": ("cuda:0", False)}
    assert drawn.copies == (("nameless", "x", "12 B"),)


def test_a_moved_tensor_that_requires_a_gradient_is_no_leaf():
    step = Move(assignment=Assignment.NEW_NAME, requires_grad=True)

    answer = assert_answer(step, explanation="copy-is-no-leaf", grad_fn="ToCopyBackward0")
    assert answer.printed.splitlines()[1] == "cuda:0 False False"
