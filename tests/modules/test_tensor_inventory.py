"""The tensor inventory against independent walks: torch's own, and the garbage collector's."""

import gc
import re
import threading
import types
import warnings

import pytest
import torch
from torch import nn

from playground.machines.simulated import simulated_gpus
from playground.modules.inventory_types import Kind, Reason
from playground.modules.tensor_inventory import take_inventory
from tests.modules import zoo

each_module = pytest.mark.parametrize("name", zoo.ZOO)
BUFFERS = (Kind.BUFFER, Kind.NON_PERSISTENT_BUFFER)


@pytest.fixture
def net(name):
    torch.manual_seed(0)
    return zoo.ZOO[name]()


def everything_behind(root):
    """Every tensor that the garbage collector says an object leads to."""
    outside = (type, types.ModuleType, types.FrameType, type(threading.Lock()))
    waiting, seen, tensors = [root], {}, {}
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, outside):
            continue
        seen[id(thing)] = thing
        if isinstance(thing, torch.Tensor):
            tensors[id(thing)] = thing
        if isinstance(thing, types.FunctionType):
            waiting += [thing.__closure__, thing.__defaults__, thing.__kwdefaults__]  # no globals
        elif "grad_fn" not in type(thing).__name__ and not type(thing).__name__.endswith("0"):
            waiting += gc.get_referents(thing)
    return tensors


def at(net, path):
    """The tensor that a path of the inventory leads to, when Python itself follows it."""
    if "{" in path or ".keys()" in path or "<" in path:
        return None
    for name, tensor in {
        **dict(net.named_parameters(remove_duplicate=False)),
        **dict(net.named_buffers(remove_duplicate=False)),
    }.items():
        if name == path:
            return tensor
    written = re.sub(r"\.(\d+)(?=\.|\[|$)", r"[\1]", f"net.{path}")
    return eval(written, {"net": net})


@each_module
def test_the_registered_rows_are_torchs_own_in_torchs_order(net):
    rows = take_inventory(net).rows

    parameters = [row.path for row in rows if row.is_registered and row.kind == Kind.PARAMETER]
    buffers = [row.path for row in rows if row.is_registered and row.kind in BUFFERS]
    assert parameters == [name for name, _ in net.named_parameters()]
    assert buffers == [name for name, _ in net.named_buffers()]


@each_module
def test_all_names_of_a_registered_tensor_are_there(net):
    rows = take_inventory(net).rows

    for names in (net.named_parameters, net.named_buffers):
        for name, tensor in names(remove_duplicate=False):
            (row,) = [row for row in rows if name in row.paths]
            assert row.device == str(tensor.device)
            assert row.is_trainable == tensor.requires_grad


@each_module
def test_what_is_saved_is_what_state_dict_holds(net):
    state = net.state_dict(keep_vars=True)

    saved = [row for row in take_inventory(net).rows if row.in_state_dict]

    names = {name for row in saved for name in row.paths}
    assert {name for name, value in state.items() if isinstance(value, torch.Tensor)} <= names
    extra = [value for value in state.values() if isinstance(value, dict)]
    tensors = {id(value) for value in state.values() if isinstance(value, torch.Tensor)}
    assert len(saved) == len(tensors) + sum(len(each) for each in extra)


@each_module
def test_every_tensor_that_the_garbage_collector_finds_has_one_row(net):
    found = everything_behind(net)

    rows = take_inventory(net).rows

    assert len(rows) == len(found)
    shapes = sorted(
        (str(row.shape), row.is_trainable) for row in rows if row.reason != Reason.UNINITIALISED
    )
    expected = sorted(
        (str(tuple(tensor.shape)), tensor.requires_grad)
        for tensor in found.values()
        if not torch.nn.parameter.is_lazy(tensor)
    )
    assert shapes == expected


@each_module
def test_every_path_leads_python_to_the_same_tensor(net):
    for row in take_inventory(net).rows:
        tensors = {id(tensor) for path in row.paths if (tensor := at(net, path)) is not None}
        assert len(tensors) <= 1, row


@each_module
def test_no_path_is_there_twice(net):
    paths = [path for row in take_inventory(net).rows for path in row.paths]

    assert len(paths) == len(set(paths))


@each_module
def test_the_module_is_left_as_it_was(net):
    modules = list(net.modules())
    held = [dict(vars(module)) for module in modules]
    inner = [
        {name: list(each.items()) for name, each in before.items() if isinstance(each, dict)}
        for before in held
    ]
    versions = [tensor._version for tensor in net.parameters() if tensor.numel]

    take_inventory(net)

    assert list(net.modules()) == modules
    for module, before, registers in zip(modules, held, inner, strict=True):
        after = vars(module)
        assert list(after) == list(before)
        assert all(after[name] is value for name, value in before.items())
        for name, items in registers.items():
            assert [key for key, _ in items] == list(after[name])
            assert all(after[name][key] is value for key, value in items)
    assert [tensor._version for tensor in net.parameters() if tensor.numel] == versions


@each_module
def test_a_move_takes_along_what_is_registered_and_nothing_else(net):
    with simulated_gpus(2, 8):
        before = take_inventory(net)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # an LSTM without cuDNN
            net.to("cuda:1")
        rows = before.compared_with(take_inventory(net))

        known = {
            name
            for names in (net.named_parameters, net.named_buffers)
            for name, tensor in names(remove_duplicate=False)
            if str(tensor.device) == "cuda:1"
        }
        moved = {row.path for row in rows if row.device_after == "cuda:1"}
        assert {row.path for row in rows if row.is_registered} == moved
        assert moved <= known
        assert {row.device_before for row in rows} <= {"cpu"}
        assert all(row.device_after == "cpu" for row in rows if not row.is_registered)


def test_a_buffer_in_a_list_is_one_tensor_before_the_move_and_two_after_it():
    net = zoo.Shared()
    with simulated_gpus(1, 8):
        before = take_inventory(net)
        net.to("cuda")
        rows = before.compared_with(take_inventory(net))

    assert before.at("mean").paths == ("mean", "cache[0]", "cache_again[0]")
    by_path = {row.path: row for row in rows}
    assert by_path["mean"].has_moved
    assert by_path["cache[0]"].device_after == "cpu"
    assert by_path["cache[0]"].reason == Reason.IN_LIST
    assert by_path["first.weight"].paths == (
        *("first.weight", "again.weight", "second.weight", "cache[1]", "cache_again[1]"),
    )


def test_what_hides_is_reported_by_the_first_container():
    reasons = {row.path: row.reason for row in take_inventory(zoo.Hidden()).rows}

    assert reasons["known.weight"] == Reason.REGISTERED_PARAMETER
    assert reasons["constant"] == Reason.PLAIN_ATTRIBUTE
    assert reasons["layers[1][0].running_mean"] == Reason.IN_LIST
    assert reasons["pair[1][1]"] == Reason.IN_TUPLE
    assert reasons["table['a'][1]"] == Reason.IN_DICT
    assert reasons["heap{0}"] == Reason.IN_SET
    assert reasons["frozen{0}.weight"] == Reason.IN_SET
    assert reasons["queue[0]"] == Reason.IN_LIST
    assert reasons["space.deep['x']"] == Reason.IN_OBJECT


def test_kinds_of_what_hides():
    kinds = {row.path: row.kind for row in take_inventory(zoo.Hidden()).rows}

    assert kinds["layers[0].weight"] == Kind.PARAMETER
    assert kinds["layers[1][0].running_mean"] == Kind.BUFFER
    assert kinds["pair[1][1]"] == Kind.PARAMETER
    assert kinds["pair[0]"] == Kind.TENSOR


def test_objects_closures_and_partials_are_looked_into():
    paths = {row.path for row in take_inventory(zoo.InObjects()).rows}

    assert {"config.scale", "config.layers[0].weight", "slotted.scale"} <= paths
    assert {"closure.__closure__[0].cell_contents", "partial.args[0]"} <= paths
    assert "method.__self__.weight" in paths


def test_a_kept_result_of_a_computation_is_called_one():
    row = take_inventory(zoo.Kept()).at("scaled")

    assert (row.kind, row.reason, row.is_registered) == (Kind.TENSOR, Reason.COMPUTED, False)


def test_frozen_parameters_are_registered_and_not_trainable():
    rows = take_inventory(zoo.Frozen())

    assert not rows.at("body.weight").is_trainable
    assert rows.at("head.weight").is_trainable


def test_a_module_that_saves_by_its_own_rule_is_asked():
    rows = take_inventory(zoo.OwnSaving())

    assert rows.at("linear.weight").in_state_dict
    assert not rows.at("table").in_state_dict
    assert rows.at("extra").in_state_dict


def test_a_lazy_parameter_has_a_device_and_no_shape():
    net = nn.LazyLinear(3)
    with simulated_gpus(1, 8):
        before = take_inventory(net)
        net.to("cuda")
        (weight, bias) = before.compared_with(take_inventory(net))

        assert (weight.device_before, weight.device_after) == ("cpu", "cuda:0")
        assert (weight.shape, weight.reason) == (None, Reason.UNINITIALISED)
        assert bias.reason == Reason.UNINITIALISED
        net(torch.ones(2, 4, device="cuda"))
        assert take_inventory(net).at("weight").shape == (3, 4)


def test_a_loss_of_its_own_keeps_its_weights_behind():
    net, loss = zoo.mlp(), nn.CrossEntropyLoss(weight=torch.ones(3))
    with simulated_gpus(1, 8):
        before = take_inventory(net, loss=loss)
        net.to("cuda")
        row = before.compared_with(take_inventory(net, loss=loss))[-1]

    assert (row.path, row.kind, row.reason) == ("loss.weight", Kind.LOSS_BUFFER, Reason.IN_LOSS)
    assert (row.device_before, row.device_after) == ("cpu", "cpu")
    assert row.is_registered
    assert row.in_state_dict  # of the loss


def test_a_loss_inside_the_module_moves_with_it():
    net = zoo.mlp()
    net.loss = nn.CrossEntropyLoss(weight=torch.ones(3))
    row = take_inventory(net, loss=net.loss).at("loss.weight")

    assert (row.kind, row.paths) == (Kind.BUFFER, ("loss.weight",))


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda p: torch.optim.SGD(p, lr=0.1), set()),
        (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), {"momentum_buffer"}),
        (lambda p: torch.optim.Adam(p, lr=0.1), {"step", "exp_avg", "exp_avg_sq"}),
        (lambda p: torch.optim.Adagrad(p, lr=0.1), {"step", "sum"}),
        (lambda p: torch.optim.LBFGS(p), None),
    ],
)
def test_the_optimizers_state_is_listed_by_its_parameters_and_stays(make, names):
    net = nn.Linear(2, 1)
    optimizer = make(net.parameters())

    def closure():
        optimizer.zero_grad()
        loss = net(torch.ones(3, 2)).square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    with simulated_gpus(1, 8):
        before = take_inventory(net, optimizer=optimizer)
        net.to("cuda")
        rows = before.compared_with(take_inventory(net, optimizer=optimizer))

    state = [row for row in rows if row.kind == Kind.OPTIMIZER_STATE]
    kept = everything_behind(dict(optimizer.state)).keys() - {id(p) for p in net.parameters()}
    assert len(state) == len(kept)
    assert {row.device_after for row in state} <= {"cpu"}
    assert not any(row.is_registered for row in state)
    if names is not None:
        expected = {f"optimizer.state['{p}']['{n}']" for p in ("weight", "bias") for n in names}
        assert {row.path for row in state} == expected
    counts = {row.path for row in state if row.reason == Reason.STEP_COUNT}
    assert counts == {row.path for row in state if row.path.endswith("['step']")}


def test_the_optimizer_is_another_way_to_each_parameter():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    row = take_inventory(net, optimizer=optimizer).at("weight")

    assert row.paths == ("weight", "optimizer.param_groups[0]['params'][0]")
    assert row.is_registered


def test_parameters_that_only_the_optimizer_still_has_are_reported():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.weight = nn.Parameter(torch.zeros(1, 2))

    rows = take_inventory(net, optimizer=optimizer)

    lost = rows.at("optimizer.param_groups[0]['params'][0]")
    assert (lost.kind, lost.reason) == (Kind.PARAMETER, Reason.ONLY_IN_OPTIMIZER)
    assert not lost.is_registered
    assert rows.at("weight").paths == ("weight",)


def test_a_learning_rate_that_is_a_tensor_belongs_to_the_optimizer():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=torch.tensor(0.1), capturable=True)

    rows = take_inventory(net, optimizer=optimizer)

    assert rows.at("optimizer.param_groups[0]['lr']").kind == Kind.OPTIMIZER_STATE


def test_a_registered_circle_ends():
    net = zoo.mlp()
    net.me = net  # net.to and net.state_dict never come back from this

    assert [row.path for row in take_inventory(net).rows] == [
        "0.weight",
        "0.bias",
        "2.weight",
        "2.bias",
    ]


def test_a_very_deep_list_ends():
    net, inner = nn.Identity(), [torch.ones(1)]
    for _ in range(20_000):
        inner = [inner]
    net.deep = inner

    (row,) = take_inventory(net).rows
    assert row.path.count("[0]") == 20_001


def test_modules_that_all_know_each_other_end():
    nets = [nn.Linear(1, 1) for _ in range(40)]
    for each in nets:
        each.friends = nets
    root = nn.Sequential(*nets)

    rows = take_inventory(root).rows

    assert len(rows) == 80
    assert {row.path for row in rows} == {name for name, _ in root.named_parameters()}


def test_iterators_are_not_used_up():
    net = nn.Identity()
    net.waiting = iter([torch.ones(1)])
    net.made = (torch.ones(n) for n in range(3))

    take_inventory(net)

    assert len(list(net.made)) == 3
    assert len(list(net.waiting)) == 1


def test_forward_and_backward_are_not_run():
    net = nn.Sequential(nn.Linear(2, 2))
    calls = []
    net.register_forward_hook(lambda *_: calls.append("forward"))
    net.register_state_dict_post_hook(lambda *_: calls.append("saved"))

    rows = take_inventory(net).rows

    assert "forward" not in calls  # what is saved, a module with hooks of its own must be asked
    assert all(row.in_state_dict for row in rows)


def test_an_object_that_is_no_module_is_refused():
    with pytest.raises(TypeError, match="list"):
        take_inventory([nn.Linear(1, 1)])


def test_a_module_without_init_has_an_empty_ledger():
    class Unfinished(nn.Module):
        def __init__(self):
            pass

    assert take_inventory(Unfinished()).rows == ()


def test_meta_and_sparse_tensors_have_rows_too():
    net = nn.Linear(2, 2, device="meta")
    net.graph = torch.eye(3).to_sparse()

    assert {row.path: row.device for row in take_inventory(net).rows} == {
        "weight": "meta",
        "bias": "meta",
        "graph": "cpu",
    }


def test_rows_that_come_and_go_are_reported():
    net = zoo.Shared()
    before = take_inventory(net)
    net.later = torch.ones(1)
    del net.cache, net.cache_again, net.mean

    rows = {row.path: row for row in before.compared_with(take_inventory(net))}

    assert (rows["later"].device_before, rows["later"].device_after) == (None, "cpu")
    assert (rows["mean"].device_before, rows["mean"].device_after) == ("cpu", None)
    assert not rows["mean"].has_moved


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@each_module
def test_a_real_move_takes_along_what_is_registered(net):
    before = take_inventory(net)
    net.to("cuda")

    for row in before.compared_with(take_inventory(net)):
        assert row.device_after == ("cuda:0" if row.is_registered else "cpu")
