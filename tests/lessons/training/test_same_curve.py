import pytest
import torch

from playground.lessons.training.same_curve import TOLERANCE, SameCurve, Second
from playground.machines import Machine, MachineKind
from tests.answers import answer_once
from tests.lessons.training.plain_loop import plain_losses

MACHINES = [Machine(), Machine(gpus=0)]


@pytest.mark.parametrize("machine", MACHINES)
def test_another_order_of_the_sums_is_a_rounding_apart(machine):
    """E12: what a simulated GPU would give, the same bits, is not taught as the answer."""
    step = SameCurve(machine=machine)
    answer = answer_once(step)
    first, second = (each.losses for each in answer.data)

    assert "cuda" not in answer.printed
    assert "num_gpus=0, seed=0, is_reversed=True" in step.program()
    assert answer.prediction == "close"
    assert first != second
    assert 0 < max(abs(a - b) for a, b in zip(first, second, strict=True)) <= TOLERANCE


def test_the_reversed_network_is_the_same_function():
    """By hand, in float64, where the order of the sums hardly counts."""
    names: dict[str, object] = {}
    program = SameCurve(epochs=1).program()
    exec(program, names)
    model = names["Classifier"](2, "SGD", 0.1).double()  # type: ignore[operator]
    X = torch.randn(50, 2, dtype=torch.float64)
    before = model(X)
    weight = model.net[0].weight.clone()

    names["reverse_units"](model.net)  # type: ignore[operator]

    torch.testing.assert_close(model(X), before, rtol=1e-12, atol=1e-12)
    assert torch.equal(model.net[0].weight, weight.flip(0))


def test_the_same_again_is_the_same_and_another_seed_is_not():
    same = answer_once(SameCurve(second=Second.SAME, epochs=10))
    other = answer_once(SameCurve(second=Second.OTHER_SEED, epochs=10))

    assert same.prediction == "bits"
    assert other.prediction == "different"
    assert list(same.data[0].losses) == list(same.data[1].losses) == plain_losses(10)
    assert list(other.data[1].losses) == plain_losses(10, seed=1)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_a_real_gpu_gives_the_same_curve_within_rounding():
    step = SameCurve(machine=Machine(kind=MachineKind.REAL), second=Second.SAME)

    assert answer_once(step).prediction in ("bits", "close")
