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
from tests.answers import answer_once, assert_answer


@pytest.mark.parametrize("part", Part)
def test_modules_are_parts_and_functions_and_classes_are_not(part):
    is_module = part not in (Part.FUNCTION, Part.CLASS)
    prediction, says = ("works", "") if is_module else ("TypeError", "is not a Module subclass")

    step = LayerBlockModel(part=part)
    assert_answer(step, prediction=prediction, says=says, has_fix=not is_module)


def test_the_class_is_read_before_the_question_and_works():
    step = CustomBlock()
    shown = {line.strip() for line in step.program().splitlines()[step.folded_lines() :]}

    assert {"class MLP(nn.Module):", "super().__init__()"} <= shown
    assert_answer(step, prediction="(2, 10)")


@pytest.mark.parametrize(
    ("mistake", "error", "says"),
    [
        ({"first": First.FORGOTTEN}, "AttributeError", "before Module.__init__() call"),
        ({"method": Method.PREDICT}, "NotImplementedError", 'missing the required "forward"'),
        ({"last": Last.NO_RETURN}, "AttributeError", "'NoneType' object has no attribute"),
    ],
)
def test_each_mistake_in_a_class_has_its_error_and_its_fix(mistake, error, says):
    assert_answer(CustomBlock(**mistake), error=error, says=says, has_fix=True)
    assert_answer(CustomBlock(**mistake, is_fixed=True), prediction="(2, 10)")


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
    step = MySequential(registration=registration)

    if registration is Registration.NUMBER:
        assert_answer(step, prediction="TypeError", says="can only concatenate str")
        return
    prefix = "layer" if registration is Registration.NAMED else ""
    names = [f"{prefix}{name}" for name in ("0.weight", "0.bias", "2.weight", "2.bias")]
    prediction = f"{prefix}0, {prefix}2"
    assert_answer(step, prediction=prediction, is_equal="True", same_names=str(not prefix))
    assert answer_once(step).printed.strip() == str(names)


@pytest.mark.parametrize("use", Use)
@pytest.mark.parametrize("container", Container)
def test_only_a_module_list_registers_and_mistakes_are_silent_or_refused(container, use):
    is_registered = container is Container.MODULE_LIST
    refused = {Use.OPTIMIZER: "ValueError", Use.MOVE: "RuntimeError"}
    prediction = "works" if is_registered else refused.get(use, "works")
    expected = {"known": 4 if is_registered else 0, "there": 4, "has_fix": not is_registered}
    is_silent = not is_registered and use not in refused

    step = PythonList(container=container, use=use)
    assert_answer(step, prediction=prediction, is_silent=is_silent, **expected)


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
@pytest.mark.parametrize("registration", Held)
def test_a_buffer_moves_and_is_saved_and_an_attribute_is_not(registration, device):
    is_buffer = registration is Held.BUFFER
    places = {"layer_device": device, "constant_device": device if is_buffer else "cpu"}
    step = Constant(registration=registration, device=device)

    answer = assert_answer(step, is_saved=is_buffer, ok=is_buffer or device == "cpu", **places)
    assert answer.explanation.endswith("on-the-cpu" if device == "cpu" else "and-gpu")


@pytest.mark.parametrize(
    ("call", "expected"), [(Call.NET, "all"), (Call.FORWARD, "layers"), (Call.SLICE, "first_two")]
)
def test_a_hook_runs_where_its_module_is_called(call, expected):
    net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    called: list[str] = []
    for name, module in net.named_modules():
        module.register_forward_hook(lambda *_, name=name: called.append(name))
    X = torch.rand(2, 20)
    {Call.NET: net, Call.FORWARD: net.forward, Call.SLICE: net[:2]}[call](X)

    is_silent = call is Call.FORWARD
    assert_answer(Hooks(call=call), prediction=expected, hooks_run=len(called), is_silent=is_silent)


def test_where_the_first_layer_refuses_no_hook_has_run():
    assert_answer(Hooks(call=Call.NET, width=Width.DIFFERS), prediction="RuntimeError", hooks_run=0)
