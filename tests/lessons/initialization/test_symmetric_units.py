import pytest
import torch
from torch import nn

from playground.lessons.initialization.symmetric_units import Start, SymmetricUnits
from tests.answers import answer_once, assert_answer


@pytest.mark.parametrize(
    ("step", "distinct", "explanation"),
    [
        (SymmetricUnits(), 1, "equal"),
        (SymmetricUnits(is_one_changed=True), 2, "one-changed"),
        (SymmetricUnits(has_dropout=True), 8, "dropout"),
        (SymmetricUnits(start=Start.ZEROS, has_dropout=True), 1, "zeros"),
        (SymmetricUnits(start=Start.NORMAL, units=16), 16, "random"),
        (SymmetricUnits(steps=0), 1, "no-step"),
    ],
)
def test_distinct_units_are_counted(step, distinct, explanation):
    """All equal is one kind of unit, not zero."""
    expected = {"distinct": distinct, "prediction": str(distinct), "explanation": explanation}

    answer = assert_answer(step, **expected)
    assert sum(count for count, _ in answer.data.paths) == step.units


def test_one_unit_cannot_form_the_absolute_value():
    torch.manual_seed(0)
    X = torch.randn(64, 4)
    y = X[:, :1].abs()
    mean_only = (y - y.mean()).square().mean().item()
    equal, random = (
        answer_once(SymmetricUnits(start=start, units=16)).facts["loss"]
        for start in (Start.CONSTANT, Start.NORMAL)
    )

    assert equal == pytest.approx(mean_only, rel=0.2)
    assert random < 0.5 * mean_only


def test_the_learned_function_is_that_of_the_network():
    learned = dict(answer_once(SymmetricUnits(start=Start.ZEROS)).data.learned)
    torch.manual_seed(0)
    y = torch.randn(64, 4)[:, :1].abs()
    bias = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([bias], lr=0.1)
    for _ in range(30):
        optimizer.zero_grad()
        (bias - y).square().mean().backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    assert list(learned.values()) == pytest.approx([bias.item()] * len(learned), abs=1e-5)
