import functools
from collections import namedtuple
from dataclasses import dataclass

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from playground.machines.simulated import simulated_gpus
from playground.modules.inventory_types import Reason
from playground.modules.trace import trace_forward
from playground.modules.trace_types import Group, TieKind, WarningKind
from tests.modules import trace_zoo, zoo
from tests.modules.trace_support import Calls, paths, trace_leaves_as_it_was

Both = namedtuple("Both", "left right")


@dataclass
class Output:
    logits: torch.Tensor
    loss: float | None = None


def test_what_is_no_module_is_refused():
    with pytest.raises(TypeError, match="not of function"):
        trace_forward(F.relu, torch.rand(1))


def test_keywords_may_be_called_as_ours_are():
    net = Calls(lambda _, *, module, args, keep_lazy: module + args + keep_lazy)
    one = torch.ones(1)
    trace = trace_forward(net, module=one, args=one, keep_lazy=one)
    assert trace.rows[0].inputs == Group("call", ((1,),) * 3, ("module", "args", "keep_lazy"))


def test_inputs_and_outputs_are_described_however_they_are_nested():
    x = torch.rand(2, 3)
    made = {"a": [x, None], "b": Both(x[0], "mean"), "c": Output(x)}
    net = Calls(lambda _self, *_, **__: made)
    (row,) = trace_forward(net, (x, [x[0], None]), "mean", {"mask": None, 3: x}, scale=2.5).rows

    assert row.inputs == Group(
        "call",
        (
            Group("tuple", ((2, 3), Group("list", ((3,), "None")))),
            "'mean'",
            Group("dict", ("None", (2, 3)), ("'mask'", "3")),
            "2.5",
        ),
        ("", "", "", "scale"),
    )
    assert row.output == Group(
        "dict",
        (
            Group("list", ((2, 3), "None")),
            Group("Both", ((3,), "'mean'"), ("left", "right")),
            Group("Output", ((2, 3), "None"), ("logits", "loss")),
        ),
        ("'a'", "'b'", "'c'"),
    )
    assert row.input_shapes == ((2, 3), (3,), (2, 3))
    assert row.output_shapes == ((2, 3), (3,), (2, 3))


def test_a_list_that_holds_itself_ends():
    ring = [torch.rand(2)]
    ring.append(ring)
    trace = trace_forward(Calls(lambda _, x: x), ring)

    assert trace.outcome.ok
    assert trace.rows[0].output_shapes[0] == (2,)


def test_a_generator_is_not_consumed():
    inner = Calls(lambda _, x: (x + i for i in range(3)))
    net = Calls(lambda self, x: len(list(self.inner(x))), inner=inner)
    assert [row.output for row in trace_forward(net, torch.rand(2)).rows] == ["3", "<generator>"]


def test_calls_are_counted():
    rows = trace_forward(*trace_zoo.one_layer_five_times()).rows
    assert [(row.call, row.calls) for row in rows] == [(1, 1), *((n, 5) for n in range(1, 6))]


def test_a_module_that_calls_itself_is_deeper_each_time():
    net = Calls(lambda self, x, left=3: self(x, left - 1) if left else x)
    rows = trace_forward(net, torch.rand(2)).rows
    assert [row.depth for row in rows] == [0, 1, 2, 3]
    assert {row.path for row in rows} == {""}


def registered_in_itself():
    net = Calls(lambda self, x: self.layer(x), layer=nn.Linear(2, 2))
    net.layer.back = net
    return net


def nested_lists():
    shared = nn.Linear(2, 2)
    rows = nn.ModuleList([nn.ModuleList([shared, nn.ReLU()]), nn.ModuleList([shared])])
    return Calls(lambda self, x: [layer(x) for row in self.rows for layer in row], rows=rows)


def forward_of_its_own():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    net.forward = functools.partial(lambda self, x: self[0](x), net)
    return net


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (registered_in_itself, ["", "layer"]),
        (nested_lists, ["", "rows.0.0", "rows.0.1", "rows.1.0"]),
        (forward_of_its_own, ["", "0"]),
    ],
)
def test_a_call_goes_by_the_name_of_its_place(make, expected):
    trace = trace_forward(net := make(), torch.rand(1, 2))
    assert paths(trace) == expected
    assert trace.total_parameters == sum(each.numel() for each in net.parameters())


def test_a_layer_whose_forward_is_called_directly_has_no_row_and_is_reported():
    net = Calls(lambda self, x: self.inner.forward(x), inner=nn.Sequential(nn.Linear(2, 3)))

    assert paths(trace_forward(net, torch.rand(1, 2))) == ["", "inner.0"]
    assert trace_forward(net.inner, torch.rand(1, 2)).uncalled == ()
    direct = Calls(lambda self, x: self.layer.forward(x), layer=nn.Linear(2, 3))
    assert trace_forward(direct, torch.rand(1, 2)).uncalled == ("layer",)


def test_modules_hidden_in_a_list_have_rows_and_a_warning():
    net = Calls(lambda self, x: self.layers[1](self.layers[0](x)))
    net.layers = [nn.Linear(2, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 1))]
    trace = trace_forward(net, torch.rand(4, 2))

    assert paths(trace) == ["", "layers[0]", "layers[1]", "layers[1].0", "layers[1].1"]
    found = [(each.kind, each.path, each.reason) for each in trace.warnings]
    assert found == [(WarningKind.HIDDEN_MODULE, f"layers[{i}]", Reason.IN_LIST) for i in range(2)]
    assert trace.total_parameters == 0
    assert trace.at("layers[0]").total_parameters == 9


def test_a_constant_as_a_plain_attribute_is_reported_and_a_buffer_is_not():
    net = Calls(lambda self, x: x * self.constant * self.known)
    net.constant = torch.rand(3)
    net.register_buffer("known", torch.rand(3))
    (warning,) = trace_forward(net, torch.rand(3)).warnings

    assert (warning.kind, warning.path) == (WarningKind.HIDDEN_TENSOR, "constant")


def test_a_module_made_in_each_forward_is_reported():
    trace = trace_forward(Calls(lambda _, x: nn.Linear(2, 3)(x)), torch.rand(1, 2))
    assert paths(trace) == ["", "<Linear>"]
    assert [each.kind for each in trace.warnings] == [WarningKind.MADE_IN_FORWARD]
    assert trace.rows[1].total_parameters == 9


def test_under_autocast_the_output_is_what_autocast_makes():
    with torch.autocast("cpu", torch.bfloat16):
        trace = trace_forward(nn.Sequential(nn.Linear(2, 2), nn.Identity()), torch.rand(1, 2))
    assert [row.dtype for row in trace.rows] == ["float32", "float32", "bfloat16"]
    assert trace.rows[2].output_bytes == 2 * 2


def test_an_error_that_the_module_catches_is_no_failure_and_a_second_one_is_where_it_was_raised():
    def forward(self, x):
        try:
            return self.layer(x)
        except RuntimeError:
            return self.other(x)

    nets = [Calls(forward, layer=nn.Linear(3, 2), other=nn.Linear(n, 2)) for n in (2, 4)]
    caught, second = (trace_forward(net, torch.rand(1, 2)) for net in nets)

    assert (caught.outcome.ok, caught.failed_at, caught.suggestion) == (True, None, None)
    assert [row.has_returned for row in caught.rows] == [True, False, True]
    assert (second.failed_at, second.suggestion.value) == ("other", 2)


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
    net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    net[0].weight, net[1].weight = nn.Parameter(first), nn.Parameter(second)
    return trace_forward(net, torch.rand(1, 2, device=first.device))


flat, table = torch.rand(8), torch.rand(2, 4)


@pytest.mark.parametrize(
    "views",
    [(flat[:4].view(2, 2), flat[4:].view(2, 2)), (table[:, :2], table[:, 2:])],
    ids=["neighbours", "interleaved"],
)
def test_views_of_one_storage_that_do_not_overlap_are_not_tied(views):
    trace = two_views(*views)
    assert (trace.total_parameters, trace.tie_groups) == (8, ())


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_values_that_overlap_in_part_are_counted_once(device):
    flat = torch.rand(6, device=device)
    trace = two_views(flat[:4].view(2, 2), flat[2:].view(2, 2))

    (group,) = trace.tie_groups
    assert trace.total_parameters == group.parameters == 6
    assert (group.paths, group.kind) == (("0.weight", "1.weight"), TieKind.SHARED_MEMORY)
    assert trace.rows[1].total_parameters == 4


def test_modules_on_several_devices_and_in_several_dtypes_say_so():
    net = nn.Sequential(nn.Linear(2, 2).double(), nn.Linear(2, 2, device="meta"))
    rows = trace_forward(net[:1], torch.rand(1, 2).double()).rows
    whole = trace_forward(Calls(lambda _, x: x, net=net), torch.rand(1)).rows[0]

    assert [(row.device, row.dtype) for row in rows] == [("cpu", "float64")] * 2
    assert (whole.device, whole.dtype) == ("cpu, meta", "float64, float32")


quiet = pytest.mark.filterwarnings("ignore")  # torch says that what is used there grows old


def network():
    return nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))


@quiet
@pytest.mark.parametrize(
    "turn", [torch.jit.script, lambda net: torch.jit.trace(net, torch.rand(1, 2))]
)
def test_of_a_script_the_outer_call_is_seen(turn):
    script = turn(network())
    trace = trace_forward(script, torch.rand(4, 2))
    inside = trace_forward(nn.Sequential(nn.Linear(2, 2), script), torch.rand(4, 2))
    failing = trace_forward(script, torch.rand(4, 5))

    (row,) = trace.rows
    assert (row.type_name, row.output_shapes) == ("Sequential", ((4, 1),))
    assert trace.total_parameters == 3 * 2 + 3 + 3 + 1
    assert (row.multiply_adds, trace.warnings, trace.uncalled) == (None, (), ())
    assert (paths(inside), inside.total_parameters) == (["", "0", "1"], 6 + 13)
    assert (failing.failed_at, failing.outcome.ok, failing.suggestion) == ("", False, None)


@quiet
@pytest.mark.parametrize("inside", [True, False])
def test_a_compiled_module_runs_uncompiled_and_whole(inside):
    compiled = torch.compile(network(), backend="eager")
    trace = trace_forward(nn.Sequential(compiled) if inside else compiled, torch.rand(4, 2))
    assert [row.type_name for row in trace.rows][-4:] == ["Sequential", "Linear", "ReLU", "Linear"]
    assert (trace.total_parameters, trace.warnings) == (13, ())


@quiet
@pytest.mark.parametrize("name", ["pruned", "old_weight_norm", "symmetric"])
def test_a_weight_that_is_computed_from_parameters_counts_as_they_do_and_leaves_no_warning(name):
    net = zoo.ZOO[name]()
    inputs = torch.ones(2, net[0].in_features)
    with torch.no_grad():
        net(inputs)
    trace = trace_leaves_as_it_was(net, inputs)

    assert inputs.min() == 1
    assert trace.total_parameters == sum(each.numel() for each in net.parameters())
    assert (trace.buffers, trace.warnings) == (sum(each.numel() for each in net.buffers()), ())


def test_what_a_parametrization_calls_has_rows():
    trace = trace_forward(zoo.symmetric(), torch.rand(2, 3))
    assert paths(trace) == [*("", "0", "0.parametrizations.weight", "0.parametrizations.weight.0")]
    assert trace.at("0").multiply_adds == 2 * 12


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

    assert [row.output_shapes for row in trace_forward(Loud(), torch.rand(3)).rows] == [((3,),)]
