import pytest
import torch

from playground.lessons.training.same_curve import TOLERANCE, SameCurve, Second
from playground.machines import Machine
from tests.answers import assert_answer
from tests.lessons.training.plain_loop import plain_losses


@pytest.mark.parametrize("machine", [Machine(), Machine(gpus=0)])
def test_another_order_of_the_sums_is_a_rounding_apart(machine):
    """E12: what a simulated GPU would give, the same bits, is not taught as the answer."""
    step = SameCurve(machine=machine)
    answer = assert_answer(step, prediction="close")
    first, second = (each.losses for each in answer.data)

    assert "cuda" not in answer.printed
    assert "num_gpus=0, seed=0, is_reversed=True" in step.program()
    assert first != second
    assert 0 < max(abs(a - b) for a, b in zip(first, second, strict=True)) <= TOLERANCE


def test_the_reversed_network_is_the_same_function():
    """By hand, in float64, where the order of the sums hardly counts."""
    names = {}
    exec(SameCurve(epochs=1).program(), names)
    model = names["Classifier"](2, "SGD", 0.1).double()
    X = torch.randn(50, 2, dtype=torch.float64)
    before = model(X)
    weight = model.net[0].weight.clone()

    names["reverse_units"](model.net)

    torch.testing.assert_close(model(X), before, rtol=1e-12, atol=1e-12)
    assert torch.equal(model.net[0].weight, weight.flip(0))


def test_the_same_again_is_the_same_and_another_seed_is_not():
    same = assert_answer(SameCurve(second=Second.SAME, epochs=10), prediction="bits")
    other = assert_answer(SameCurve(second=Second.OTHER_SEED, epochs=10), prediction="different")

    assert list(same.data[0].losses) == list(same.data[1].losses) == plain_losses(10)
    assert list(other.data[1].losses) == plain_losses(10, seed=1)
