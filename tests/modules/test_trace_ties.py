"""Parameters that are one, by object or by memory, and modules under several names."""

import warnings

import pytest
import torch
from torch import nn

from playground.modules.trace import trace_forward
from playground.modules.trace_types import TieKind
from tests.modules.trace_support import Calls, paths


def test_a_shared_module_goes_by_the_name_of_its_place():
    act, linear = nn.ReLU(), nn.Linear(2, 2)
    net = nn.Sequential(nn.Sequential(linear, act), nn.Sequential(linear, act, act))

    trace = trace_forward(net, torch.rand(1, 2))

    assert paths(trace) == ["", "0", "0.0", "0.1", "1", "1.0", "1.1", "1.2"]
    (group,) = [group for group in trace.tie_groups if group.name.endswith("weight")]
    assert group.paths == ("0.0.weight", "1.0.weight")
    assert group.kind == TieKind.SAME_PARAMETER
    assert trace.at("1.0").ties == ("0.0.weight", "0.0.bias")
    assert trace.total_parameters == 6


def two_views(first, second):
    """Two layers, whose weights are views."""
    net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    net[0].weight, net[1].weight = nn.Parameter(first), nn.Parameter(second)
    return net


flat, table = torch.rand(8), torch.rand(2, 4)


@pytest.mark.parametrize(
    "views",
    [(flat[:4].view(2, 2), flat[4:].view(2, 2)), (table[:, :2], table[:, 2:])],
    ids=["neighbours", "interleaved"],
)
def test_views_of_one_storage_that_do_not_overlap_are_not_tied(views):
    trace = trace_forward(two_views(*views), torch.rand(1, 2))

    assert (trace.total_parameters, trace.tie_groups) == (8, ())


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_values_that_overlap_in_part_are_counted_once(device):
    flat = torch.rand(6, device=device)
    net = two_views(flat[:4].view(2, 2), flat[2:].view(2, 2))

    trace = trace_forward(net, torch.rand(1, 2, device=device))

    (group,) = trace.tie_groups
    assert trace.total_parameters == group.parameters == 6
    assert (group.paths, group.kind) == (("0.weight", "1.weight"), TieKind.SHARED_MEMORY)
    assert trace.rows[1].total_parameters == 4


def test_tensors_without_elements_are_not_tied():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        net = nn.Sequential(nn.Linear(0, 2), nn.Linear(2, 0))
        trace = trace_forward(net, torch.rand(1, 0))

    assert (trace.total_parameters, trace.tie_groups) == (2, ())


def test_modules_on_several_devices_and_in_several_dtypes_say_so():
    net = nn.Sequential(nn.Linear(2, 2).double(), nn.Linear(2, 2, device="meta"))

    rows = trace_forward(net[:1], torch.rand(1, 2).double()).rows
    whole = trace_forward(Calls(lambda _, x: x, net=net), torch.rand(1)).rows[0]

    assert [(row.device, row.dtype) for row in rows] == [("cpu", "float64")] * 2
    assert (whole.device, whole.dtype) == ("cpu, meta", "float64, float32")
