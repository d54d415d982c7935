import pytest
import torch

from playground.lessons.models.what_moved import FIXES, Holding, WhatMoved
from tests.answers import answer_once, assert_answer

# By hand: how many tensors the module leads to, how many of them are registered, and saved.
COUNTS = {
    Holding.RESULT: (3, 2, 2),
    Holding.LAYERS: (4, 2, 2),
    Holding.PARAMETERS: (3, 2, 2),
    Holding.REGISTERED: (2, 2, 2),
    Holding.ATTRIBUTE: (3, 2, 2),
    Holding.BUFFER: (3, 3, 2),
    Holding.IN_FORWARD: (2, 2, 2),
}


@pytest.mark.parametrize("holding", Holding)
def test_what_is_registered_moves_and_nothing_else(holding):
    works = holding in (Holding.REGISTERED, Holding.BUFFER)
    step, prediction = WhatMoved(holding=holding), "works" if works else "RuntimeError"

    answer = assert_answer(step, prediction=prediction, has_fix=not works)
    count, registered, saved = COUNTS[holding]
    assert answer.facts == {
        "there": registered,
        "left": count - registered,
        "unregistered": count - registered,
        "unsaved": count - saved,
    }


@pytest.mark.parametrize("holding", Holding)
def test_torch_agrees_about_what_is_registered(holding):
    names = {}
    exec(WhatMoved(holding=holding, device="cpu").program(), names)
    net = names["net"]

    _, registered, saved = COUNTS[holding]
    assert len([*net.parameters(), *net.buffers()]) == registered
    assert len(net.state_dict()) == saved


@pytest.mark.parametrize("holding", FIXES)
def test_the_fix_computes_the_same_on_the_cpu_and_moves(holding):
    step = WhatMoved(holding=holding)
    results = []
    for is_fixed in (False, True):
        torch.manual_seed(0)
        names = {}
        exec(step.replaced(device="cpu", is_fixed=is_fixed).program(), names)
        results.append(names["Y"])

    torch.testing.assert_close(*results)
    fixed = {"prediction": "works", "explanation": "repaired", "left": 0, "unregistered": 0}
    assert_answer(step.replaced(is_fixed=True), **fixed)


@pytest.mark.parametrize("holding", Holding)
def test_on_the_cpu_a_hidden_tensor_is_a_silent_failure(holding):
    step, (count, registered, _) = WhatMoved(holding=holding, device="cpu"), COUNTS[holding]
    assert_answer(step, prediction="works", is_silent=count > registered)


def test_a_layer_with_two_names_is_one_transition():
    transitions = answer_once(WhatMoved(holding=Holding.REGISTERED)).data.transitions

    assert [each.names for each in transitions] == [
        "linear.weight = more[0].weight",
        "linear.bias = more[0].bias",
        "X",
    ]


def test_what_forward_made_is_drawn_where_it_is():
    transitions = answer_once(WhatMoved(holding=Holding.IN_FORWARD)).data.transitions

    made = [(each.names, each.place) for each in transitions if each.is_trouble]
    assert made == [("torch.zeros(…)", "cpu")]
