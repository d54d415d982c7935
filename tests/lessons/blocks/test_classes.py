import pytest
import torch
from torch import nn

from playground.lessons.blocks.constant import Constant
from playground.lessons.blocks.constant import Registration as Held
from playground.lessons.blocks.custom_block import CustomBlock, First, Last, Method
from playground.lessons.blocks.hooks import Call, Hooks, Width
from playground.lessons.blocks.layer_block_model import LayerBlockModel, Part
from playground.lessons.blocks.my_sequential import MySequential, Registration
from playground.lessons.blocks.python_list import Container, PythonList, Use
from playground.lessons.blocks.same_function import Copying, SameFunction
from tests.answers import answer_once

LINEAR = ("0.weight", "0.bias", "2.weight", "2.bias")


@pytest.mark.parametrize("part", Part)
def test_modules_are_parts_and_functions_and_classes_are_not(part):
    answer = answer_once(LayerBlockModel(part=part))

    is_module = part not in (Part.FUNCTION, Part.CLASS)
    assert answer.prediction == ("works" if is_module else "TypeError")
    assert is_module or "is not a Module subclass" in answer.outcome.message
    assert (answer.fix is None) is is_module


def test_the_class_is_read_before_the_question_and_works():
    step = CustomBlock()
    shown = "\n".join(step.program().splitlines()[step.folded_lines() :])

    assert "class MLP(nn.Module):" in shown
    assert "super().__init__()" in shown
    assert answer_once(step).prediction == "(2, 10)"


@pytest.mark.parametrize(
    ("mistake", "error", "says"),
    [
        ({"first": First.FORGOTTEN}, "AttributeError", "before Module.__init__() call"),
        ({"method": Method.PREDICT}, "NotImplementedError", 'missing the required "forward"'),
        ({"last": Last.NO_RETURN}, "AttributeError", "'NoneType' object has no attribute"),
    ],
)
def test_each_mistake_in_a_class_has_its_error_and_its_fix(mistake, error, says):
    answer = answer_once(CustomBlock(**mistake))

    assert answer.outcome.error_type == error
    assert says in answer.outcome.message
    assert answer.fix is not None
    assert answer_once(CustomBlock(**mistake, is_fixed=True)).prediction == "(2, 10)"


def test_a_forgotten_super_fails_at_the_first_layer():
    step = CustomBlock(first=First.FORGOTTEN)
    [failed] = [line.number for line in answer_once(step).lines if line.error]

    assert "self.hidden = " in step.program().splitlines()[failed - 1]


@pytest.mark.parametrize(
    ("copying", "seed", "expected"),
    [
        (Copying.STATE_DICT, 1, "RuntimeError"),
        (Copying.LAYERS, 1, "True"),
        (Copying.NOTHING, 1, "False"),
        (Copying.NOTHING, 0, "True"),
    ],
)
def test_the_class_and_the_sequential_agree_where_their_weights_do(copying, seed, expected):
    answer = answer_once(SameFunction(copying=copying, seed=seed))

    assert answer.prediction == expected
    if expected == "RuntimeError":
        assert "Missing key(s) in state_dict" in answer.outcome.message
    else:
        assert all(row[2] for row in answer.table[1:]) is (expected == "True")
        assert (answer.facts["difference"] == 0) is (expected == "True")


@pytest.mark.parametrize("registration", Registration)
def test_the_names_are_those_under_which_layers_were_registered(registration):
    answer = answer_once(MySequential(registration=registration))

    if registration is Registration.NUMBER:
        assert answer.prediction == "TypeError"
        assert "can only concatenate str" in answer.outcome.message
        return
    prefix = "layer" if registration is Registration.NAMED else ""
    assert answer.printed.strip() == str([f"{prefix}{name}" for name in LINEAR])
    assert answer.prediction == f"{prefix}0, {prefix}2"
    assert answer.facts["is_equal"] == "True"
    assert answer.facts["same_names"] == str(not prefix)


@pytest.mark.parametrize("use", Use)
@pytest.mark.parametrize("container", Container)
def test_only_a_module_list_registers_and_mistakes_are_silent_or_refused(container, use):
    answer = answer_once(PythonList(container=container, use=use))

    is_registered = container is Container.MODULE_LIST
    assert answer.facts["known"] == (4 if is_registered else 0)
    assert answer.facts["there"] == 4
    refused = {Use.OPTIMIZER: "ValueError", Use.MOVE: "RuntimeError"}
    assert answer.prediction == ("works" if is_registered else refused.get(use, "works"))
    assert answer.is_silent_failure is (not is_registered and use not in refused)
    assert (answer.fix is None) is is_registered


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
@pytest.mark.parametrize("registration", Held)
def test_a_buffer_moves_and_is_saved_and_an_attribute_is_not(registration, device):
    answer = answer_once(Constant(registration=registration, device=device))

    is_buffer = registration is Held.BUFFER
    assert answer.facts["layer_device"] == device
    assert answer.facts["constant_device"] == (device if is_buffer else "cpu")
    assert answer.facts["is_saved"] is is_buffer
    assert answer.outcome.ok is (is_buffer or device == "cpu")
    assert answer.explanation.endswith("on-the-cpu" if device == "cpu" else "and-gpu")


@pytest.mark.parametrize(
    ("call", "expected"), [(Call.NET, "all"), (Call.FORWARD, "layers"), (Call.SLICE, "first_two")]
)
def test_a_hook_runs_where_its_module_is_called(call, expected):
    answer = answer_once(Hooks(call=call))

    net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    called: list[str] = []
    for name, module in net.named_modules():
        module.register_forward_hook(lambda *_, name=name: called.append(name))
    X = torch.rand(2, 20)
    {Call.NET: net, Call.FORWARD: net.forward, Call.SLICE: net[:2]}[call](X)

    assert answer.facts["hooks_run"] == len(called)
    assert answer.prediction == expected
    assert answer.is_silent_failure is (call is Call.FORWARD)


def test_where_the_first_layer_refuses_no_hook_has_run():
    answer = answer_once(Hooks(call=Call.NET, width=Width.DIFFERS))

    assert (answer.prediction, answer.facts["hooks_run"]) == ("RuntimeError", 0)
