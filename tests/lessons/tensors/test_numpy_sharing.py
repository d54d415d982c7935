import pytest

from playground.lessons.tensors.numpy_sharing import Chain, Edit, NumpySharing
from tests.answers import answer_once, assert_answer

DEVICES = ("cpu", "cuda:0", "cuda:1")


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("chain", Chain)
def test_a_conversion_works_if_it_leaves_autograd_and_the_gpu(chain, device, requires_grad):
    step = NumpySharing(device=device, requires_grad=requires_grad, chain=chain)

    reaches_host = device == "cpu" or ".cpu()" in chain or "force" in chain
    leaves_autograd = not requires_grad or ".detach()" in chain or "force" in chain
    if not reaches_host:
        answer = assert_answer(step, error="TypeError", has_fix=True)
        assert answer.outcome.message == (
            f"can't convert {device} device type tensor to numpy. "
            "Use Tensor.cpu() to copy the tensor to host memory first."
        )
    elif not leaves_autograd:
        answer = assert_answer(step, error="RuntimeError", has_fix=True)
        assert answer.outcome.message.startswith("Can't call numpy() on Tensor that requires grad")
    else:
        shared = "both" if device == "cpu" else "one"
        assert_answer(step, prediction=shared, ok=True, has_fix=False)


@pytest.mark.parametrize(
    ("edit", "x_values", "array_values"),
    [
        (Edit.ARRAY, "100 2 3", "100 2 3"),
        (Edit.TENSOR, "2 3 4", "2 3 4"),
        (Edit.REBOUND, "2 3 4", "1 2 3"),
    ],
)
def test_on_the_cpu_an_edit_in_place_shows_on_both_sides(edit, x_values, array_values):
    answer = answer_once(NumpySharing(edit=edit))

    assert answer.facts == {"x_values": x_values, "array_values": array_values}
    assert len(answer.data) == (2 if edit is Edit.REBOUND else 1)


def test_a_leaf_that_requires_a_gradient_cannot_be_edited_in_place():
    step = NumpySharing(requires_grad=True, chain=Chain.DETACH, edit=Edit.TENSOR)

    answer = assert_answer(step, stopped_at=step.asked_line())
    assert answer.outcome.message.startswith("a leaf Variable that requires grad")
    assert "no_grad" not in step.program()


def test_an_edit_that_autograd_does_not_see_is_a_silent_failure():
    step = NumpySharing(requires_grad=True, chain=Chain.FORCE)
    assert_answer(step, is_silent=True, x_values="100 2 3")
