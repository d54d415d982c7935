import pytest
from torch import nn

from playground.lessons.initialization.apply_to_all import ApplyToAll, Check, First, Rule
from playground.modules.spec import Layer
from tests.answers import answer_once, assert_answer
from tests.lessons.blocks.misfits import linear
from tests.lessons.steps import visitors


@pytest.mark.parametrize(
    ("first", "calls"),
    [
        (First.FLATTEN, "Flatten Linear ReLU Linear Sequential"),
        (First.NESTED, "Linear ReLU Sequential Linear ReLU Linear Sequential"),
    ],
)
def test_children_come_first(first, calls):
    answer = answer_once(ApplyToAll(first=first))

    assert answer.printed.split() == calls.split()
    assert answer.prediction == str(len(calls.split()))


@pytest.mark.parametrize("first", First)
def test_the_right_number_counts_nothing_else(first):
    """A wrong idea, such as counting parameters or layers, must not lead to the right answer."""
    net = eval(f"nn.Sequential({first}, nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))")
    linear = sum(isinstance(each, nn.Linear) for each in net.modules())
    others = {1, linear, len(list(net.parameters())), len(list(net.children()))}

    assert int(answer_once(ApplyToAll(first=first)).prediction) not in others


def test_a_class_is_never_a_text():
    answer = assert_answer(ApplyToAll(check=Check.STRING), is_silent=True, filled=0)
    assert "type(m) == nn.Linear" in answer.fix[1]


def test_a_network_of_the_builder_is_walked_through():
    step = ApplyToAll(network=visitors(linear(5, 6, bias=False), Layer("ReLU")))

    answer = assert_answer(step, prediction="more", filled=1)  # than its one parameter
    assert answer.printed.split() == ["Linear", "ReLU", "Sequential"]


def test_a_constant_makes_units_equal():
    answer = answer_once(ApplyToAll(rule=Rule.CONSTANT))
    assert [row[2:] for row in answer.table[1:]] == [("1", "0"), ("0", "0")] * 2
