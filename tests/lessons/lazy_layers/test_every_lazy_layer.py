import pytest
from torch import nn

from playground.lessons.lazy_layers.every_lazy_layer import EveryLazyLayer, Layer
from tests.answers import assert_answer


def test_every_lazy_layer_of_torch_is_there():
    lazy = {name for name in dir(nn) if name.startswith("Lazy")}
    assert {each.partition("(")[0].removeprefix("nn.") for each in Layer} == lazy


@pytest.mark.parametrize("layer", Layer)
def test_each_becomes_its_twin_with_seven_features(layer):
    answer = assert_answer(EveryLazyLayer(layer=layer), value=7)
    assert f"nn.Lazy{answer.facts['becomes']}(" in layer
