import itertools

import pytest

from playground.lessons.models.input_and_model import InputAndModel, Layer
from tests.answers import answer_once

DEVICES = ("cpu", "cuda:0", "cuda:1")
# What PyTorch says where the network is on a GPU and the batch on the CPU; the recorded answers of
# a real GPU in tests/machines agree.
SAID = {
    Layer.LINEAR: "got mat1 is on cpu, different from other tensors on cuda:0",
    Layer.EMBEDDING: "got index is on cpu, different from other tensors on cuda:0",
    Layer.BATCH_NORM: "got weight is on cuda:0, different from other tensors on cpu",
    Layer.CONVOLUTION: "(torch.FloatTensor) and weight type (torch.cuda.FloatTensor)",
    Layer.LSTM: "found input tensor at cpu and parameter tensor at cuda:0",
}


@pytest.mark.parametrize("layer", Layer)
@pytest.mark.parametrize(("model", "batch"), list(itertools.product(DEVICES, DEVICES)))
def test_it_works_where_both_are_on_one_device(layer, model, batch):
    answer = answer_once(InputAndModel(layer=layer, model=model, batch=batch))

    assert answer.prediction == (model if model == batch else "RuntimeError")
    assert (answer.fix is None) == (model == batch)
    if model == batch:
        assert answer.printed == f"{model} True\n"


@pytest.mark.parametrize("layer", Layer)
def test_each_layer_says_it_in_its_own_way(layer):
    assert SAID[layer] in answer_once(InputAndModel(layer=layer)).outcome.message


def test_the_numbers_of_the_reason_are_those_of_the_program():
    linear, embedding = (
        answer_once(InputAndModel(layer=each)).placeholders
        for each in (Layer.LINEAR, Layer.EMBEDDING)
    )

    assert (linear["batch_count"], linear["model_count"]) == (2 * 4, 4 * 3 + 3)
    assert (embedding["batch_count"], embedding["model_count"]) == (2, 5 * 3)
