import io

import pytest
import torch
from torch import nn

from playground.lessons.save_and_load.model import FILE, Architecture, Load, Mode, Model
from playground.steps import WriteFile
from tests.answers import answer, answer_once, assert_answer
from tests.lessons.blocks.misfits import linear
from tests.lessons.steps import visitors


@pytest.mark.parametrize("architecture", Architecture)
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("load", Load)
def test_the_clone_is_the_same_where_all_was_restored(architecture, mode, load):
    needs_eval = architecture in (Architecture.DROPOUT, Architecture.BATCH_NORM)
    is_same = (
        load is Load.LOADED
        and architecture is not Architecture.CONSTANT
        and (mode is Mode.EVAL or not needs_eval)
    )
    moves = architecture is Architecture.BATCH_NORM and mode is Mode.TRAIN  # its running mean
    are_equal = load is Load.LOADED and not moves

    step = Model(architecture=architecture, mode=mode, load=load)
    found = assert_answer(step, is_silent=not is_same, equal_parameters=are_equal)
    assert (found.prediction == "all") is is_same


def test_the_fix_restores_everything():
    broken = Model(architecture=Architecture.CONSTANT, load=Load.NOTHING)
    fix = answer_once(broken).fix

    assert 'register_buffer("scale"' in fix[1]
    assert "clone.eval()" in fix[1]
    assert_answer(broken.replaced(is_fixed=True), prediction="all", explanation="all-equal")


def test_the_visitors_network_is_restored_and_its_file_opens():
    step = Model(network=visitors(linear(5, 6, name="encoder")))
    made = answer(WriteFile(of=step, file_name=FILE))

    assert_answer(step, prediction="all", equal_outputs="12 / 12")
    torch.manual_seed(0)
    expected = nn.Linear(5, 6).weight
    state = torch.load(io.BytesIO(made.data), weights_only=True)
    assert torch.equal(state["encoder.weight"], expected)
