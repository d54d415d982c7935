"""The tensor inventory against independent walks: torch's own, and the garbage collector's."""

import re
import warnings

import pytest
import torch
from torch import nn
from torch.nn.parameter import is_lazy

from playground.machines.simulated import simulated_gpus
from playground.modules.inventory_types import Kind, Reason
from playground.modules.tensor_inventory import take_inventory
from tests.modules import zoo
from tests.modules.trace_support import state_of
from tests.modules.zoo import everything_behind, mlp, moved

each_module = pytest.mark.parametrize("name", zoo.ZOO)
PARAMETERS, BUFFERS = (Kind.PARAMETER,), (Kind.BUFFER, Kind.NON_PERSISTENT_BUFFER)


@pytest.fixture
def net(name):
    torch.manual_seed(0)
    return zoo.ZOO[name]()


def at(net, path):
    """The tensor that a path of the inventory leads to, when Python itself follows it."""
    if "{" in path or ".keys()" in path or "<" in path:
        return None
    for names in (net.named_parameters, net.named_buffers):
        if path in (named := dict(names(remove_duplicate=False))):
            return named[path]
    written = re.sub(r"\.(\d+)(?=\.|\[|$)", r"[\1]", f"net.{path}")
    return eval(written, {"net": net})


def shape_of(tensor):
    return None if is_lazy(tensor) else tuple(tensor.shape)


@each_module
def test_the_registered_rows_are_torchs_own_in_torchs_order_under_all_their_names(net):
    rows = take_inventory(net).rows
    for names, kinds in ((net.named_parameters, PARAMETERS), (net.named_buffers, BUFFERS)):
        found = [row.path for row in rows if row.is_registered and row.kind in kinds]
        assert found == [name for name, _ in names()]
        for name, tensor in names(remove_duplicate=False):
            (row,) = [row for row in rows if name in row.paths]
            assert (row.device, row.is_trainable) == (str(tensor.device), tensor.requires_grad)


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
    expected = sorted((str(shape_of(each)), each.requires_grad) for each in found.values())
    assert sorted((str(row.shape), row.is_trainable) for row in rows) == expected
    for row in rows:
        assert (row.shape is None) == (row.reason == Reason.UNINITIALISED)


@each_module
def test_every_path_is_there_once_and_leads_python_to_the_tensor_of_its_row(net):
    rows = take_inventory(net).rows
    for row in rows:
        tensors = [tensor for path in row.paths if (tensor := at(net, path)) is not None]
        assert len(set(map(id, tensors))) <= 1, row
        assert {shape_of(each) for each in tensors} <= {row.shape}
    paths = [path for row in rows for path in row.paths]
    assert len(paths) == len(set(paths))


@each_module
def test_the_module_is_left_as_it_was(net):
    before = state_of(net)
    take_inventory(net)
    assert state_of(net) == before


@each_module
def test_a_move_takes_along_what_is_registered_and_nothing_else(net):
    with simulated_gpus(2, 8):
        assert {row.device for row in take_inventory(net).rows} <= {"cpu"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # an LSTM without cuDNN
            net.to("cuda:1")
        rows = take_inventory(net).rows

        known = {
            name
            for names in (net.named_parameters, net.named_buffers)
            for name, tensor in names(remove_duplicate=False)
            if str(tensor.device) == "cuda:1"
        }
        moved = {row.path for row in rows if row.device == "cuda:1"}
        assert {row.path for row in rows if row.is_registered} == moved
        assert moved <= known
        assert all(row.device == "cpu" for row in rows if not row.is_registered)


def test_a_buffer_in_a_list_is_one_tensor_before_the_move_and_two_after_it():
    net = zoo.shared()
    assert take_inventory(net).at("mean").paths == ("mean", "cache[0]", "cache_again[0]")
    rows = {row.path: row for row in moved(net)}

    assert rows["mean"].device == "cuda:0"
    cached = rows["cache[0]"]
    assert (cached.device, cached.reason) == ("cpu", Reason.IN_LIST)
    assert rows["first.weight"].paths == (
        *("first.weight", "again.weight", "second.weight", "cache[1]", "cache_again[1]"),
    )


@pytest.mark.parametrize(
    ("path", "kind", "reason"),
    [
        ("known.weight", Kind.PARAMETER, Reason.REGISTERED_PARAMETER),
        ("constant", Kind.TENSOR, Reason.PLAIN_ATTRIBUTE),
        ("layers[0].weight", Kind.PARAMETER, Reason.IN_LIST),
        ("layers[1][0].running_mean", Kind.BUFFER, Reason.IN_LIST),
        ("pair[0]", Kind.TENSOR, Reason.IN_TUPLE),
        ("pair[1][1]", Kind.PARAMETER, Reason.IN_TUPLE),
        ("table['a'][1]", Kind.TENSOR, Reason.IN_DICT),
        ("heap{0}", Kind.TENSOR, Reason.IN_SET),
        ("frozen{0}.weight", Kind.PARAMETER, Reason.IN_SET),
        ("queue[0]", Kind.TENSOR, Reason.IN_LIST),
        ("space.deep['x']", Kind.TENSOR, Reason.IN_OBJECT),
    ],
)
def test_what_hides_is_reported_by_the_first_container(path, kind, reason):
    row = take_inventory(zoo.hidden()).at(path)
    assert (row.kind, row.reason) == (kind, reason)


def test_a_kept_result_of_a_computation_is_called_one():
    row = take_inventory(zoo.kept()).at("scaled")
    assert (row.kind, row.reason, row.is_registered) == (Kind.TENSOR, Reason.COMPUTED, False)


def test_a_module_that_saves_by_its_own_rule_is_asked():
    rows = take_inventory(zoo.OwnSaving())
    saved = [rows.at(path).in_state_dict for path in ("linear.weight", "extra", "table")]
    assert saved == [True, True, False]


def test_a_registered_circle_ends():
    net = zoo.mlp()
    net.me = net  # net.to and net.state_dict never come back from this
    found = [row.path for row in take_inventory(net).rows]
    assert found == ["0.weight", "0.bias", "2.weight", "2.bias"]


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

    found = sorted(row.path for row in take_inventory(root).rows)
    assert found == sorted(name for name, _ in root.named_parameters())


def test_iterators_are_not_used_up():
    net = zoo.holding(waiting=iter([torch.ones(1)]), made=(torch.ones(n) for n in range(3)))
    take_inventory(net)
    assert (len(list(net.waiting)), len(list(net.made))) == (1, 3)


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


def test_meta_and_sparse_tensors_have_rows_too():
    net = nn.Linear(2, 2, device="meta")
    net.graph = torch.eye(3).to_sparse()
    found = {row.path: row.device for row in take_inventory(net).rows}
    assert found == {"weight": "meta", "bias": "meta", "graph": "cpu"}


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@each_module
def test_a_real_move_takes_along_what_is_registered(net):
    net.to("cuda")
    for row in take_inventory(net).rows:
        assert row.device == ("cuda:0" if row.is_registered else "cpu")


def test_a_loss_of_its_own_keeps_its_weights_behind():
    row = moved(mlp(), loss=nn.CrossEntropyLoss(weight=torch.ones(3)))[-1]

    assert (row.path, row.kind, row.reason) == ("loss.weight", Kind.LOSS_BUFFER, Reason.IN_LOSS)
    assert row.device == "cpu"
    assert row.is_registered
    assert row.in_state_dict  # of the loss


def test_a_loss_inside_the_module_is_a_part_of_it():
    net = zoo.holding(loss=nn.CrossEntropyLoss(weight=torch.ones(3)))
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
        (loss := net(torch.ones(3, 2)).square().sum()).backward()
        return loss

    optimizer.step(closure)
    rows = moved(net, optimizer=optimizer)

    state = [row for row in rows if row.kind == Kind.OPTIMIZER_STATE]
    kept = everything_behind(dict(optimizer.state)).keys() - {id(p) for p in net.parameters()}
    assert len(state) == len(kept)
    assert {row.device for row in state} <= {"cpu"}
    assert not any(row.is_registered for row in state)
    if names is not None:
        expected = {f"optimizer.state['{p}']['{n}']" for p in ("weight", "bias") for n in names}
        assert {row.path for row in state} == expected
    counts = {row.path for row in state if row.reason == Reason.STEP_COUNT}
    assert counts == {row.path for row in state if row.path.endswith("['step']")}


def test_the_optimizer_is_another_way_to_each_parameter_and_the_only_one_to_a_replaced_one():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    way = "optimizer.param_groups[0]['params'][0]"
    row = take_inventory(net, optimizer=optimizer).at("weight")
    net.weight = nn.Parameter(torch.zeros(1, 2))
    rows = take_inventory(net, optimizer=optimizer)

    assert (row.paths, row.is_registered) == (("weight", way), True)
    lost = rows.at(way)
    assert (lost.kind, lost.reason) == (Kind.PARAMETER, Reason.ONLY_IN_OPTIMIZER)
    assert not lost.is_registered
    assert rows.at("weight").paths == ("weight",)
