import pytest

from playground.lessons.tied_parameters.counted_once import CountedOnce, Layer
from playground.modules.spec import Shared
from tests.answers import assert_answer
from tests.lessons.blocks.misfits import linear
from tests.lessons.steps import visitors


@pytest.mark.parametrize("uses", [1, 2, 5])
@pytest.mark.parametrize(
    ("layer", "own", "buffers", "names"), [(Layer.LINEAR, 72, 0, 2), (Layer.BATCH_NORM, 16, 17, 5)]
)
def test_parameters_lists_objects_and_the_dict_names(layer, own, buffers, names, uses):
    assert_answer(
        CountedOnce(layer=layer, uses=uses),
        counted=40 + own + 9,
        saved=40 + uses * (own + buffers) + 9,
        keys=2 + uses * names + 2,
        storages=2 + names + 2,
        prediction="same" if uses == 1 and not buffers else "more",
    )


def test_names_lead_to_one_object_and_one_storage():
    groups = "`1.weight` = `3.weight` = `5.weight`; `1.bias` = `3.bias` = `5.bias`"

    answer = assert_answer(CountedOnce(uses=3), groups=groups)
    assert list(map(len, answer.data.columns)) == [10, 6, 6]


def test_a_tie_of_the_builder_is_counted_once():
    network = visitors(linear(5, 5, name="encoder"), Shared("encoder", name="again"))

    answer = assert_answer(CountedOnce(network=network), counted=30, saved=60)
    assert "`encoder.weight` = `again.weight`" in answer.placeholders["groups"]
