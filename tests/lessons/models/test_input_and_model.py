import pytest

from playground.lessons.models.input_and_model import InputAndModel, Layer
from tests.answers import assert_answer

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
@pytest.mark.parametrize("model", DEVICES)
@pytest.mark.parametrize("batch", DEVICES)
def test_it_works_where_both_are_on_one_device(layer, model, batch):
    step = InputAndModel(layer=layer, model=model, batch=batch)

    if model == batch:
        assert_answer(step, prediction=model, has_fix=False, printed=f"{model} True\n")
    else:
        assert_answer(step, prediction="RuntimeError", has_fix=True)


@pytest.mark.parametrize("layer", Layer)
def test_each_layer_says_it_in_its_own_way(layer):
    assert_answer(InputAndModel(layer=layer), says=SAID[layer])


def test_the_numbers_of_the_reason_are_those_of_the_program():
    linear, embedding = InputAndModel(layer=Layer.LINEAR), InputAndModel(layer=Layer.EMBEDDING)

    assert_answer(linear, batch_count=2 * 4, model_count=4 * 3 + 3)
    assert_answer(embedding, batch_count=2, model_count=5 * 3)
