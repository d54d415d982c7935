from torch import nn

from playground.lessons.lazy_layers.every_lazy_layer import EveryLazyLayer, Layer
from tests.answers import answer_once


def test_every_lazy_layer_of_torch_is_there():
    lazy = {name for name in dir(nn) if name.startswith("Lazy")}

    assert {each.partition("(")[0].removeprefix("nn.") for each in Layer} == lazy


def test_each_becomes_its_twin_with_seven_features():
    for layer in Layer:
        facts = answer_once(EveryLazyLayer(layer=layer)).facts

        assert f"nn.Lazy{facts['becomes']}(" in layer
        assert facts["value"] == 7
