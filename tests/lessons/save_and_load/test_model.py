"""What a restored model computes; the visitor's network is built and judged before it is run."""

import ast
import io
import json

import pytest
import torch
from torch import nn

from playground import compute
from playground.errors import InvalidSettingError, PlaygroundError
from playground.lessons.save_and_load import networks
from playground.lessons.save_and_load.model import FILE, Architecture, Load, Mode, Model
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from playground.steps import WriteFile
from tests.answers import answer_once
from tests.lessons.steps import NETWORKS

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


@pytest.mark.parametrize(
    "layer",
    [
        Layer.of("Linear", in_features=30_000, out_features=30_000),
        Layer.of("NoSuchLayer"),
        Layer.of("Linear", in_features=1, out_features=1, device='"); import os #'),
    ],
    ids=["large", "unknown", "hostile"],
)
def test_a_network_that_cannot_be_built_is_refused_before_its_program_runs(layer, monkeypatch):
    ran: list[str] = []
    monkeypatch.setattr("playground.steps.step.run_program", ran.append)
    step = Model(network=to_link(Network(layer, InputSpec((1, 1)))))

    with compute.running_inline(), pytest.raises(PlaygroundError):
        compute.run(step)
    assert ran == []


@pytest.mark.parametrize("text", ["x", "\ue000", "'); import os #", to_link(ENCODER)[:-6]])
def test_what_is_no_network_is_refused(text):
    with pytest.raises(InvalidSettingError):
        Model(network=text)


def test_texts_in_a_network_are_literals_in_the_program():
    hostile = '"); __import__("os").system("true") #'
    spec = json.loads(ENCODER.to_json())
    text = json.dumps(spec).replace("encoder", "name")
    Network.from_json(text)  # a harmless name is taken
    with pytest.raises(PlaygroundError):
        Network.from_json(json.dumps(spec).replace("encoder", json.dumps(hostile)[1:-1]))
    for link in filter(None, NETWORKS):
        definition, *_ = networks.as_function(networks.read(link))
        calls = [each for each in ast.walk(ast.parse(definition)) if isinstance(each, ast.Call)]
        roots = {ast.unparse(each.func).partition(".")[0] for each in calls}
        assert roots <= {"nn", "torch", "OrderedDict"}
