import pytest

from playground.lessons.models.lazy_network import LazyNetwork
from tests.answers import assert_answer

DEVICES = ("cpu", "cuda:0", "cuda:1")


@pytest.mark.parametrize("target", DEVICES)
@pytest.mark.parametrize("batch", DEVICES)
def test_the_values_are_made_where_the_network_went(target, batch):
    ok = target == batch
    last, still_empty = ("Parameter", []) if ok else ("UninitializedParameter", ["net[2].weight"])
    step, expected = LazyNetwork(target=target, batch=batch), {"shape": "(8, 4)", "last_type": last}

    answer = assert_answer(step, prediction=target, ok=ok, **expected)
    assert [each.names for each in answer.data.transitions if each.is_empty] == still_empty
