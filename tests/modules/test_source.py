"""The programs of a spec, against the module that is built, and random networks back and forth."""

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterable

import pytest
import torch
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from torch import nn

from playground.modules import custom_source
from playground.modules.build import build, draw_inputs, measure
from playground.modules.build.assemble import assembled
from playground.modules.build.known_layers import BLOCK_CLASSES, CUSTOM_LAYERS
from playground.modules.source import as_class, as_sequential
from playground.modules.source.expressions import CLASSES, POSITIONS
from playground.modules.spec import Block, InvalidSpecError, Layer, Network
from playground.modules.spec.link import from_link, to_link
from playground.modules.spec.presets import PRESETS
from playground.modules.trace import trace_forward
from tests.fresh import run_fresh
from tests.modules.random_specs import networks
from tests.modules.trace_support import bits

KNOWN = {each.__name__: each for each in CUSTOM_LAYERS}


@pytest.mark.parametrize("write", [as_sequential, as_class])
@pytest.mark.parametrize("network", PRESETS.values(), ids=PRESETS)
def test_the_program_of_a_start_draws_and_computes_what_the_built_module_does(network, write):
    exec(write(network, seed=5, run=True), namespace := {"__name__": "__main__"})
    built = build(network, seed=5)
    (inputs,) = draw_inputs(network.input)

    assert torch.equal(namespace["X"], inputs)
    assert torch.equal(namespace["Y"], built(inputs))


def test_places_of_arguments_are_those_of_the_classes():
    for name, places in POSITIONS.items():
        taken = inspect.signature(KNOWN.get(name) or getattr(nn, name)).parameters
        if "args" not in taken:  # recurrent layers hide theirs
            assert tuple(taken)[: len(places)] == places, name


def test_the_classes_that_a_program_may_name_are_those_that_are_built():
    assert set(custom_source.LAYERS) == set(KNOWN)
    assert {kind: name.removeprefix("nn.") for kind, name in CLASSES.items()} == {
        kind: made.__name__ for kind, made in BLOCK_CLASSES.items()
    }


@pytest.mark.parametrize("name", custom_source.CLASSES)
def test_the_text_of_a_class_makes_that_class(name):
    program = "\n".join((*custom_source.imports(name), custom_source.class_source(name)))
    exec(program, namespace := {})
    assert issubclass(namespace[name], nn.Module)
    assert max(map(len, program.splitlines())) <= 80


def test_the_same_spec_is_always_the_same_program():
    program = (
        "from playground.modules.source import as_class, as_sequential\n"
        "from playground.modules.spec.presets import PRESETS\n"
        "for each in PRESETS.values(): print(as_class(each), as_sequential(each))\n"
        "import sys; assert 'torch' not in sys.modules"
    )
    first, second = (run_fresh(program, {"PYTHONHASHSEED": seed}) for seed in ("1", "2"))
    assert first == second


@pytest.mark.parametrize("name", ["MLP", "nn", "class", "a.b", "Residual", "", "x y", "X"])
def test_a_class_of_an_impossible_name_is_refused(name):
    with pytest.raises(InvalidSpecError):
        as_class(Block([Layer("MLP")]), name)


@settings(max_examples=200, derandomize=True, database=None)
@given(
    type=st.text(max_size=10) | st.sampled_from(("Linear", "ReLU")),
    argument=st.text(max_size=10) | st.just("bias"),
    value=st.text(max_size=20) | st.floats() | st.integers() | st.lists(st.text(max_size=4)),
    name=st.none() | st.text(max_size=10),
)
def test_nothing_in_a_spec_becomes_code_but_one_call(type, argument, value, name):
    try:
        layer = Layer(type, {argument: value}, name=name)
        program = as_sequential(Block([layer]))
        other = as_class(Block([layer]))
    except InvalidSpecError:
        return

    *_, assigned = ast.parse(program).body
    calls = [node for node in ast.walk(assigned) if isinstance(node, ast.Call)]
    (made,) = (call for call in calls if ast.unparse(call.func) == f"nn.{type}")
    allowed = {"nn.Sequential", "OrderedDict", f"nn.{type}"}
    assert {ast.unparse(call.func) for call in calls} <= allowed
    (keyword,) = made.keywords
    expected = tuple(value) if isinstance(value, list) else value
    assert (keyword.arg, ast.literal_eval(keyword.value)) == (argument, expected)
    assert len(ast.parse(other).body) == 3


def test_copies_behind_a_named_layer_keep_their_numbers():
    linear = {"in_features": 2, "out_features": 2}
    block = Block([Layer("Linear", linear, name="first"), Layer("Linear", linear, times=2)])
    names = [name for name, _ in executed(as_sequential(block)).named_children()]
    assert names == ["first", "1", "2"]


lazily = settings(
    max_examples=40,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),  # a smaller example costs minutes; ask for Phase.shrink in need
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def executed(program: str) -> nn.Module:
    """Return the names that a student has after running a program."""
    torch.manual_seed(7)
    exec(program, namespace := {"__name__": "__main__"})
    return namespace["net"]


def answer(net: nn.Module, inputs: torch.Tensor) -> torch.Tensor:
    """Return a module's output for an input, its dropout decided by a seed."""
    torch.manual_seed(1)
    return net(inputs)


def contents(tensors: Iterable[torch.Tensor]) -> list[tuple[torch.Size, bytes]]:
    return [(tensor.shape, bits(tensor)) for tensor in tensors]


@lazily
@given(networks())
def test_the_module_both_programs_and_the_trace_agree(network):
    (inputs,) = draw_inputs(network.input)
    built = build(network, seed=7)
    in_a_row, as_a_class = executed(as_sequential(network)), executed(as_class(network))

    assert len({bits(answer(net, inputs)) for net in (built, in_a_row, as_a_class)}) == 1
    expected = in_a_row.state_dict()
    if "inputs" not in network.block.to_json():  # a wired block is a class, with names of its own
        assert list(built.state_dict()) == list(expected)
    assert contents(built.state_dict().values()) == contents(expected.values())
    # In the class a shared layer is the first attribute, so the order is another.
    assert sorted(contents(built.parameters())) == sorted(contents(as_a_class.parameters()))
    assert sorted(contents(built.buffers())) == sorted(contents(as_a_class.buffers()))


@lazily
@given(networks())
def test_the_counts_of_the_trace_and_of_the_bounds_are_those_of_the_program(network):
    inputs = draw_inputs(network.input)
    net = executed(as_sequential(network))
    net(*inputs)
    trace = trace_forward(build(network, seed=7), *inputs)

    count = sum(each.numel() for each in net.parameters())
    assert trace.failed_at is None
    assert trace.total_parameters == count
    assert measure(lambda: assembled(network.block), network.input).parameters == count


@lazily
@given(networks())
def test_a_network_comes_back_from_json_and_from_a_link(network):
    assert Network.from_json(network.to_json()) == from_link(to_link(network)) == network
    assert hash(from_link(to_link(network))) == hash(network)


@settings(lazily, max_examples=15)
@given(networks())
def test_programs_are_laid_out_as_a_formatter_would(network):
    for program in (as_sequential(network, seed=0), as_class(network, run=True)):
        assume(max(map(len, program.splitlines())) <= 60)  # unless it is nested very deep
        ruff = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "60", "-"]
        formatted = subprocess.run(ruff, input=program, capture_output=True, text=True, check=True)
        assert formatted.stdout == program
