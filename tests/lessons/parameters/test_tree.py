import pytest

from playground.lessons.parameters.tree import Access, Attribute, Tree
from playground.steps import Labels
from tests.answers import answer_once, assert_answer


@pytest.mark.parametrize("block", range(-4, 4))
@pytest.mark.parametrize("layer", range(-4, 4))
@pytest.mark.parametrize("attribute", Attribute)
def test_places_lead_to_the_named_parameter(block, layer, attribute):
    name = f"0.block {range(4)[block]}.{range(4)[layer]}.{attribute}"

    step = Tree(block=block, layer=layer, attribute=attribute)
    assert_answer(step, prediction="AttributeError" if layer % 2 else name)  # a ReLU has none


def test_brackets_of_a_sequential_take_no_names():
    assert_answer(Tree(access=Access.NAME), prediction="TypeError")
    assert_answer(Tree(access=Access.SUBMODULE), prediction="0.block 1.0.bias")


def test_names_and_the_way_are_shown_after_the_answer_only():
    step, labels = Tree(), Labels({"place": "", "name": ""})
    before, after = (step.picture(each, labels).svg for each in (None, answer_once(step)))

    assert "block 1" not in before
    assert "lit-" not in before
    assert "block 1" in after
    assert after.count('data-id="lit-') == 4
