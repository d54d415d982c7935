import pytest

from playground.lessons.tied_parameters.counted_once import CountedOnce, Layer
from playground.modules.spec import Block, InputSpec, Network, Shared
from playground.modules.spec import Layer as LayerSpec
from playground.modules.spec.link import to_link
from tests.answers import answer_once


@pytest.mark.parametrize("uses", [1, 2, 5])
@pytest.mark.parametrize(
    ("layer", "own", "buffers", "names"), [(Layer.LINEAR, 72, 0, 2), (Layer.BATCH_NORM, 16, 17, 5)]
)
def test_parameters_lists_objects_and_the_dict_names(layer, own, buffers, names, uses):
    answer = answer_once(CountedOnce(layer=layer, uses=uses))

    assert answer.facts["counted"] == 40 + own + 9
    assert answer.facts["saved"] == 40 + uses * (own + buffers) + 9
    assert answer.facts["keys"] == 2 + uses * names + 2
    assert answer.facts["storages"] == 2 + names + 2
    assert answer.prediction == ("same" if uses == 1 and not buffers else "more")


def test_names_lead_to_one_object_and_one_storage():
    answer = answer_once(CountedOnce(uses=3))

    assert answer.placeholders["groups"] == (
        "`1.weight` = `3.weight` = `5.weight`; `1.bias` = `3.bias` = `5.bias`"
    )
    assert list(map(len, answer.data.columns)) == [10, 6, 6]


def test_a_tie_of_the_builder_is_counted_once():
    linear = {"in_features": 5, "out_features": 5}
    net = Block([LayerSpec("Linear", linear, name="encoder"), Shared("encoder", name="again")])
    answer = answer_once(CountedOnce(network=to_link(Network(net, InputSpec((2, 5))))))

    assert answer.facts["counted"] == 30
    assert answer.facts["saved"] == 60
    assert "`encoder.weight` = `again.weight`" in str(answer.placeholders["groups"])
