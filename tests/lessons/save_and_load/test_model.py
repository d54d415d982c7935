import io

import pytest
import torch
from torch import nn

from playground import compute
from playground.lessons.save_and_load.model import FILE, Architecture, Load, Mode, Model
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from playground.steps import WriteFile
from tests.answers import answer_once

ENCODER = Network(
    Block([Layer("Linear", {"in_features": 5, "out_features": 6}, name="encoder")]),
    InputSpec((2, 5)),
)


@pytest.mark.parametrize("architecture", Architecture)
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("load", Load)
def test_the_clone_is_the_same_where_all_was_restored(architecture, mode, load):
    answer = answer_once(Model(architecture=architecture, mode=mode, load=load))

    needs_eval = architecture in (Architecture.DROPOUT, Architecture.BATCH_NORM)
    is_same = (
        load is Load.LOADED
        and architecture is not Architecture.CONSTANT
        and (mode is Mode.EVAL or not needs_eval)
    )
    assert (answer.prediction == "all") is is_same
    assert answer.is_silent_failure is not is_same
    moves = architecture is Architecture.BATCH_NORM and mode is Mode.TRAIN  # its running mean
    assert answer.facts["equal_parameters"] is (load is Load.LOADED and not moves)


def test_the_fix_restores_everything():
    broken = Model(architecture=Architecture.CONSTANT, load=Load.NOTHING)
    fixed = answer_once(broken.replaced(is_fixed=True))

    fix = answer_once(broken).fix
    assert fix is not None
    assert 'register_buffer("scale"' in fix[1]
    assert "clone.eval()" in fix[1]
    assert (fixed.prediction, fixed.explanation) == ("all", "all-equal")


def test_the_visitors_network_is_restored_and_its_file_opens():
    step = Model(network=to_link(ENCODER))
    answer = answer_once(step)
    with compute.running_inline():
        made = compute.run(WriteFile(of=step, file_name=FILE))

    assert answer.prediction == "all"
    assert answer.facts["equal_outputs"] == "12 / 12"
    torch.manual_seed(0)
    expected = nn.Linear(5, 6).weight
    state = torch.load(io.BytesIO(made.data), weights_only=True)
    assert torch.equal(state["encoder.weight"], expected)
