import pytest
import torch

from playground.lessons.tied_parameters.why_tie import Model, WhyTie
from tests.answers import assert_answer

LINEAR = 12 * 8 + 8  # weight and bias of the recurrent cell


@pytest.mark.parametrize(
    ("model", "steps", "tied", "untied"),
    [
        (Model.LANGUAGE_MODEL, 5, 10_000 * 64, 2 * 10_000 * 64),
        (Model.AUTOENCODER, 5, 784 * 32, 2 * 784 * 32),
        (Model.RECURRENT, 5, LINEAR, 5 * LINEAR),
        (Model.RECURRENT, 100, LINEAR, 100 * LINEAR),  # whatever the length
    ],
)
def test_a_tie_counts_one_weight_for_all_uses(model, steps, tied, untied):
    for is_tied, numbers in ((True, tied), (False, untied)):
        step = WhyTie(model=model, steps=steps, is_tied=is_tied)
        assert_answer(step, prediction=str(numbers), untied=untied)
        assert str(numbers) in step.choices(())


@pytest.mark.parametrize("is_tied", [True, False])
@pytest.mark.parametrize(
    ("model", "inputs", "shape"),
    [
        (Model.LANGUAGE_MODEL, [torch.tensor([[1, 2, 3]])], (1, 3, 10_000)),
        (Model.AUTOENCODER, [torch.rand(2, 784)], (2, 784)),
        (Model.RECURRENT, [torch.rand(5, 2, 4), torch.zeros(2, 8)], (2, 8)),
    ],
)
def test_every_model_runs(model, inputs, shape, is_tied):
    names = {}
    exec(WhyTie(model=model, is_tied=is_tied).program(), names)

    assert tuple(names["net"](*inputs).shape) == shape
