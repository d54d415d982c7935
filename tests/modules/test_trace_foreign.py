"""Modules that torch itself has turned into something else."""

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrize, prune

from playground.machines.simulated import simulated_gpus
from playground.modules.trace import trace_forward
from tests.modules.trace_support import Calls, paths, trace_leaves_as_it_was

quiet = pytest.mark.filterwarnings("ignore")  # torch says that what is used there grows old


def network():
    return nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))


def jit_traced(net):
    return torch.jit.trace(net, torch.rand(1, 2))


@quiet
@pytest.mark.parametrize("turn", [torch.jit.script, jit_traced])
def test_of_a_script_the_outer_call_is_seen(turn):
    script = turn(network())

    trace = trace_forward(script, torch.rand(4, 2))
    inside = trace_forward(nn.Sequential(nn.Linear(2, 2), script), torch.rand(4, 2))

    (row,) = trace.rows
    assert (row.type_name, row.output_shapes) == ("Sequential", ((4, 1),))
    assert trace.total_parameters == 3 * 2 + 3 + 3 + 1
    assert (row.multiply_adds, trace.warnings, trace.uncalled) == (None, (), ())
    assert (paths(inside), inside.total_parameters) == (["", "0", "1"], 6 + 13)


@quiet
def test_a_script_that_fails_gives_torchs_error():
    trace = trace_forward(torch.jit.script(network()), torch.rand(4, 5))

    assert (trace.failed_at, trace.outcome.ok) == ("", False)
    assert trace.suggestion is None


@quiet
@pytest.mark.parametrize("inside", [True, False])
def test_a_compiled_module_runs_uncompiled_and_whole(inside):
    compiled = torch.compile(network(), backend="eager")
    net = nn.Sequential(compiled) if inside else compiled

    trace = trace_forward(net, torch.rand(4, 2))

    assert [row.type_name for row in trace.rows][-4:] == ["Sequential", "Linear", "ReLU", "Linear"]
    assert trace.total_parameters == 13
    assert trace.warnings == ()


def test_pruned_weights_count_as_they_are_kept():
    net = network()
    prune.l1_unstructured(net[0], "weight", amount=0.5)
    with torch.no_grad():
        net(torch.rand(1, 2))

    trace = trace_leaves_as_it_was(net, given := torch.ones(1, 2))

    assert given.sum() == 2
    assert (trace.total_parameters, trace.buffers, trace.warnings) == (13, 6, ())


def test_what_a_parametrization_calls_has_rows():
    symmetric = Calls(lambda _, x: x.triu() + x.triu(1).mT)
    net = nn.Sequential(nn.Linear(3, 3))
    parametrize.register_parametrization(net[0], "weight", symmetric)

    trace = trace_forward(net, torch.rand(2, 3))

    assert paths(trace) == [*("", "0", "0.parametrizations.weight", "0.parametrizations.weight.0")]
    assert trace.total_parameters == 12
    assert trace.at("0").multiply_adds == 2 * 12
    assert trace.warnings == ()


@quiet
def test_the_old_weight_norm_leaves_no_warning():
    net = nn.utils.weight_norm(nn.Linear(3, 2))
    trace_forward(net, torch.rand(1, 3))

    trace = trace_leaves_as_it_was(net, torch.rand(1, 3))

    assert (trace.total_parameters, trace.warnings) == (3 * 2 + 2 + 2, ())


def test_on_simulated_devices_rows_tell_the_simulated_device():
    with simulated_gpus(2, 8):
        net = network().to("cuda:1")
        trace = trace_forward(net, torch.rand(4, 2, device="cuda:1"))
        failed = trace_forward(net, torch.rand(4, 2))

    assert {row.device for row in trace.rows} == {"cuda:1"}
    assert failed.failed_at == "0"
    assert "same device" in failed.outcome.message


def test_a_class_with_a_call_of_its_own_is_noted():
    class Loud(nn.Module):
        def __call__(self, x):
            return x + 1

    trace = trace_forward(Loud(), torch.rand(3))

    assert [row.output_shapes for row in trace.rows] == [((3,),)]
