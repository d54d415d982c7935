import subprocess
import sys
from collections.abc import Iterable

import torch
from hypothesis import HealthCheck, Phase, given, settings
from torch import nn

from playground.modules.build import build, draw_inputs, measure
from playground.modules.build.assemble import assembled
from playground.modules.source import as_class, as_sequential
from playground.modules.spec import Network
from playground.modules.spec.link import from_link, to_link
from playground.modules.trace import trace_forward
from tests.modules.random_specs import networks

lazily = settings(
    max_examples=40,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),  # a smaller example costs minutes; ask for Phase.shrink in need
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def executed(program: str, seed: int) -> nn.Module:
    """What a student has after running a program."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    torch.manual_seed(seed)
    exec(compile(program, "<program>", "exec"), namespace)
    net = namespace["net"]
    assert isinstance(net, nn.Module)
    return net


def answer(net: nn.Module, inputs: torch.Tensor) -> torch.Tensor:
    """What a module says to an input, its dropout decided by a seed."""
    torch.manual_seed(1)
    return net(inputs)


def bits(tensor: torch.Tensor) -> bytes:
    return tensor.detach().contiguous().numpy().tobytes()


def contents(tensors: Iterable[torch.Tensor]) -> list[tuple[torch.Size, bytes]]:
    return [(tensor.shape, bits(tensor)) for tensor in tensors]


@lazily
@given(networks())
def test_the_module_both_programs_and_the_trace_agree(network: Network) -> None:
    (inputs,) = draw_inputs(network.input)
    built = build(network, seed=7)
    in_a_row = executed(as_sequential(network), 7)
    as_a_class = executed(as_class(network), 7)

    outputs = [answer(net, inputs) for net in (built, in_a_row, as_a_class)]

    assert len({bits(output) for output in outputs}) == 1
    expected = in_a_row.state_dict()
    assert list(built.state_dict()) == list(expected)
    assert contents(built.state_dict().values()) == contents(expected.values())
    assert contents(built.parameters()) == contents(as_a_class.parameters())
    assert contents(built.buffers()) == contents(as_a_class.buffers())


@lazily
@given(networks())
def test_the_counts_of_the_trace_and_of_the_bounds_are_those_of_the_program(
    network: Network,
) -> None:
    inputs = draw_inputs(network.input)
    net = executed(as_sequential(network), 7)
    net(*inputs)

    trace = trace_forward(build(network, seed=7), *inputs)

    count = sum(each.numel() for each in net.parameters())
    assert trace.failed_at is None
    assert trace.total_parameters == count
    assert measure(lambda: assembled(network.block), network.input).parameters == count


@lazily
@given(networks())
def test_a_network_comes_back_from_json_and_from_a_link(network: Network) -> None:
    assert Network.from_json(network.to_json()) == from_link(to_link(network)) == network
    assert hash(from_link(to_link(network))) == hash(network)


@settings(lazily, max_examples=15)
@given(networks())
def test_programs_are_laid_out_as_a_formatter_would(network: Network) -> None:
    for program in (as_sequential(network, seed=0), as_class(network, run=True)):
        ruff = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "88", "-"]
        formatted = subprocess.run(ruff, input=program, capture_output=True, text=True, check=True)

        assert formatted.stdout == program
