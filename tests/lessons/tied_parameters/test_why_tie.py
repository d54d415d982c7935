import pytest

from playground.lessons.tied_parameters.why_tie import Model, WhyTie
from tests.answers import answer_once

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
        answer = answer_once(step)

        assert answer.prediction == str(numbers)
        assert answer.prediction in step.choices(())
        assert answer.facts["untied"] == untied


@pytest.mark.parametrize("is_tied", [True, False])
@pytest.mark.parametrize("model", Model)
def test_every_model_runs(model, is_tied):
    names: dict[str, object] = {}
    exec(WhyTie(model=model, is_tied=is_tied).program(), names)
    exec(
        {
            Model.LANGUAGE_MODEL: "Y = net(torch.tensor([[1, 2, 3]]))",
            Model.AUTOENCODER: "Y = net(torch.rand(2, 784))",
            Model.RECURRENT: "Y = net(torch.rand(5, 2, 4), torch.zeros(2, 8))",
        }[model],
        names,
    )
    shapes = {
        Model.LANGUAGE_MODEL: (1, 3, 10_000),
        Model.AUTOENCODER: (2, 784),
        Model.RECURRENT: (2, 8),
    }
    assert tuple(names["Y"].shape) == shapes[model]
