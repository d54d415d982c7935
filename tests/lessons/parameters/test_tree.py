import itertools

import pytest

from playground.lessons.parameters.tree import Access, Attribute, Tree
from playground.steps import Labels
from tests.answers import answer_once

PLACES = list(itertools.product(range(-4, 4), range(-4, 4)))


@pytest.mark.parametrize(("block", "layer"), PLACES)
@pytest.mark.parametrize("attribute", Attribute)
def test_places_lead_to_the_named_parameter(block, layer, attribute):
    answer = answer_once(Tree(block=block, layer=layer, attribute=attribute))

    if layer % 2:  # a ReLU
        assert answer.prediction == "AttributeError"
    else:
        assert answer.prediction == f"0.block {range(4)[block]}.{range(4)[layer]}.{attribute}"


def test_brackets_of_a_sequential_take_no_names():
    assert answer_once(Tree(access=Access.NAME)).prediction == "TypeError"
    assert answer_once(Tree(access=Access.SUBMODULE)).prediction == "0.block 1.0.bias"


def test_names_and_the_way_are_shown_after_the_answer_only():
    step = Tree()
    before, after = (
        step.picture(each, Labels({"place": "", "name": ""})).svg
        for each in (None, answer_once(step))
    )

    assert "block 1" not in before
    assert "lit-" not in before
    assert "block 1" in after
    assert after.count('data-id="lit-') == 4
