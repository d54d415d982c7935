import itertools

import pytest

from playground.lessons.models.lazy_network import LazyNetwork
from tests.answers import answer_once

DEVICES = ("cpu", "cuda:0", "cuda:1")


@pytest.mark.parametrize(("target", "batch"), list(itertools.product(DEVICES, DEVICES)))
def test_the_values_are_made_where_the_network_went(target, batch):
    answer = answer_once(LazyNetwork(target=target, batch=batch))

    assert answer.prediction == target
    assert answer.outcome.ok == (target == batch)
    assert answer.placeholders["shape"] == "(8, 4)"
    last = "Parameter" if target == batch else "UninitializedParameter"
    assert answer.facts["last_type"] == last
    empty = {each.names for each in answer.data.transitions if each.is_empty}
    assert empty == (set() if target == batch else {"net[2].weight"})
