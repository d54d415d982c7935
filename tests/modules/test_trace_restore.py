import random
import threading
from collections import Counter, OrderedDict, defaultdict
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn

from playground.modules.catalogue import layers
from playground.modules.catalogue.smoke_test import construct
from playground.modules.custom import NestMLP
from playground.modules.trace import trace_call, trace_forward
from playground.modules.trace.restore import runs_other_code
from playground.modules.trace.tree import Tree
from tests.modules import trace_zoo
from tests.modules.trace_support import Calls, state_of, trace_leaves_as_it_was

pytestmark = pytest.mark.filterwarnings("ignore:LSTM with projections:UserWarning")
NOT_LAZY = tuple(name for name in trace_zoo.ALL if name != "lazy")


class Meddling(nn.Module):
    """Its forward alters everything that it can reach."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.frozen = nn.Linear(2, 2).requires_grad_(False)
        self.norm = nn.BatchNorm1d(2)
        self.register_buffer("count", torch.zeros(1))
        self.calls = 0
        self.seen = []
        self.table = {"a": 1}

    def forward(self, x):
        self.calls += 1
        self.seen.append(x)
        self.table.clear()
        self.last = x
        self.eval()
        self.count += 1
        self.count = self.count + 1
        self.layer.weight.data.mul_(2)
        self.layer.bias.data = torch.ones(2)
        self.frozen.requires_grad_(True)
        with torch.enable_grad():
            self.layer(x.detach()).sum().backward()
        self.extra = nn.Linear(2, 2)
        self.norm.register_forward_hook(lambda *_: None)
        return self.norm.train()(self.layer(x)) + torch.rand(1) + random.random() + np.random.rand()


@pytest.mark.parametrize("mode", [True, False])
@pytest.mark.parametrize("name", NOT_LAZY)
def test_every_network_of_the_zoo_is_left_as_it_was(name, mode):
    net, args, kwargs = trace_zoo.case(name)
    before = state_of(net.train(mode))
    trace_forward(net, *args, **kwargs)
    assert state_of(net) == before


def test_whatever_a_forward_alters_is_put_back():
    net, x = Meddling(), torch.rand(3, 2)
    net(x)
    seen, table = list(net.seen), dict(net.table)

    assert trace_leaves_as_it_was(net, x).outcome.ok
    assert (list(map(id, net.seen)), net.table) == (list(map(id, seen)), table)


def test_what_no_name_betrays_is_put_back():
    def forward(self, x):
        weight = self.weight
        weight += 1
        return x @ weight

    net = Calls(forward, weight=nn.Parameter(torch.ones(1024, 1024)))
    trace = trace_leaves_as_it_was(net, torch.rand(1, 1024))

    assert (trace.outcome.ok, trace.warnings) == (True, ())


def test_an_embedding_that_shortens_its_rows_keeps_them():
    trace_leaves_as_it_was(nn.Embedding(3, 4, max_norm=0.1), torch.tensor([0, 1]))


@pytest.mark.parametrize("is_inference", [False, True])
def test_inputs_survive_layers_that_work_in_place(is_inference):
    with torch.inference_mode(is_inference):
        x = torch.tensor([-1.0, 2.0])
        assert trace_forward(nn.Sequential(nn.ReLU(inplace=True)), x).outcome.ok
    assert x.tolist() == [-1, 2]


def test_expanded_tensors_and_inputs_of_inference_mode_are_left_alone():
    net = Calls(lambda _, x: x + 1)
    net.register_buffer("mask", torch.ones(1).expand(1000))
    with torch.inference_mode():
        made = torch.ones(3)

    for x in (torch.ones(1).expand(3), torch.arange(5.0).unfold(0, 3, 1), made):
        before = x.tolist()
        assert trace_forward(net, x).outcome.ok
        assert x.tolist() == before


def test_other_code_is_seen_in_classes_hooks_and_arguments():
    hooked = nn.Linear(2, 2)
    hooked.register_forward_hook(lambda *_: None)
    own = [nn.Linear(2, 2), nn.LSTM(2, 2), nn.BatchNorm1d(2), nn.ReLU(inplace=True), NestMLP()]
    other = [nn.Embedding(3, 4, max_norm=1), nn.LazyLinear(2), nn.Sequential(Hoarding()), hooked]

    assert not any(runs_other_code(Tree(each).nodes.values()) for each in own)
    assert all(runs_other_code(Tree(each).nodes.values()) for each in other)


def test_the_layers_of_torch_write_into_nothing_but_buffers_in_training_mode():
    tried = 0
    for each in layers():
        net = construct(getattr(nn, each.name), each.example_arguments)
        if not each.example_inputs or runs_other_code(Tree(net).nodes.values()):
            continue
        inputs = [
            torch.zeros(one.shape, dtype=torch.long) if one.is_integer else torch.ones(one.shape)
            for one in each.example_inputs
        ]
        for mode in (False, True):
            before = state_of(net.train(mode))
            given = [one.clone() for one in inputs]
            with torch.no_grad():
                net(*inputs)
            after = state_of(net)
            assert all(map(torch.equal, inputs, given)) or net.inplace, each.name
            names = {name for name, _ in net.named_buffers()} if mode else set()
            for state in (before, after):
                state["tensors"] = [one for one in state["tensors"] if one[0] not in names]
                del state["random"]
            assert after == before, each.name
        tried += 1

    assert tried > 100


def test_a_graph_built_before_can_still_be_gone_back_through():
    net, x = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)), torch.rand(4, 2)
    loss = net(x).sum()
    trace_forward(net, x)
    loss.backward()


@pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt()])
def test_a_forward_that_is_cut_short_leaves_the_module_as_it_was(error):
    class Stopped(Meddling):
        def forward(self, x):
            super().forward(x)
            raise error

    net, x = Stopped(), torch.rand(3, 2)
    before = state_of(net)
    with suppress(KeyboardInterrupt):  # which is no outcome; all else is one
        assert trace_forward(net, x).outcome.message == "no"

    assert state_of(net) == before


def test_a_hook_that_raises_is_an_outcome():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    net[1].register_forward_hook(lambda *_: 1 / 0)
    trace = trace_leaves_as_it_was(net, torch.rand(1, 2))
    assert (trace.failed_at, trace.outcome.error_type) == ("1", "ZeroDivisionError")


def test_an_uninitialised_layer_is_initialised_as_by_a_first_forward():
    net, same = nn.Sequential(nn.LazyLinear(4)), nn.Sequential(nn.LazyLinear(4))
    x = torch.rand(2, 3)
    torch.manual_seed(0)
    same(x)
    torch.manual_seed(0)
    trace = trace_forward(net, x)

    assert type(net[0]) is nn.Linear
    assert torch.equal(net[0].weight, same[0].weight)
    assert trace.total_parameters == 3 * 4 + 4
    assert trace_forward(net, x) == trace


def test_on_request_uninitialised_layers_stay_so():
    net = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))
    x = torch.rand(2, 3, 5, 5)
    trace = trace_leaves_as_it_was(net, x, keep_lazy=True)

    assert trace.total_parameters == (4 * 27 + 4) + 8 + (36 * 2 + 2)
    assert not trace.rows[0].is_lazy
    assert net(x).shape == (2, 2)


def test_a_lazy_layer_that_was_not_reached_is_reported():
    trace = trace_forward(nn.Sequential(nn.Linear(2, 3), nn.LazyLinear(2)), torch.rand(2, 5))
    assert (trace.failed_at, trace.total_parameters) == ("0", 9)
    assert [row.is_lazy for row in trace.rows] == [True, False]


def test_gradients_are_off_unless_they_are_asked_for():
    seen = []
    look = Calls(lambda _, x: seen.append((torch.is_grad_enabled(), x.requires_grad)))
    net, x = nn.Sequential(nn.Linear(2, 2), look), torch.rand(1, 2)
    trace_forward(net, x)
    trace_call(net, (x,), with_grad=True)
    with torch.no_grad():
        trace_call(net, (x,), with_grad=True)

    assert seen == [(False, False), (True, True), (False, False)]


class Hoarding(nn.Module):
    """Alters what its attributes hold, however deep."""

    def __init__(self):
        super().__init__()
        self.steps = torch.zeros(1)
        self.states = {"all": [torch.ones(2)]}
        self.seen = defaultdict(list)
        self.often = Counter({"calls": 3})
        self.order = OrderedDict(a=1, b=2)
        self.cache = None

    def forward(self, x):
        self.steps += 1
        self.states["all"][0].mul_(2)
        self.states["all"].append(x)
        self.seen["x"].append(x)
        self.often.update(["calls"])
        self.order.move_to_end("a")
        del self.cache
        self.other = None
        return x


def test_what_attributes_hold_is_put_back():
    net = Hoarding()
    assert trace_forward(net, torch.rand(2)).outcome.ok

    assert net.steps.tolist() == [0]
    assert [each.tolist() for each in net.states["all"]] == [[1, 1]]
    assert (net.seen, net.often) == ({}, {"calls": 3})
    assert (list(net.order), list(reversed(net.order))) == (["a", "b"], ["b", "a"])
    assert ("cache" in vars(net), "other" in vars(net)) == (True, False)


@dataclass
class Batch:
    images: torch.Tensor


def test_inputs_of_every_kind_are_put_back():
    def altering(_, batch, held, table):
        batch.images.zero_()
        held.append(held.pop(0).zero_())
        table.clear()

    images, held, mask = torch.ones(2), [torch.ones(1), None], torch.ones(1)
    table = {"mask": mask}
    assert trace_forward(Calls(altering), Batch(images), held, table).outcome.ok

    assert [images.tolist(), held[0].tolist(), held[1]] == [[1, 1], [1], None]
    assert table == {"mask": mask}


def test_a_module_of_another_thread_is_not_noted():
    def forward(self, x):
        thread = threading.Thread(target=self.layer, args=(x,))
        thread.start()
        thread.join()
        return x

    trace = trace_forward(Calls(forward, layer=nn.Linear(2, 2)), torch.rand(1, 2))
    assert [row.type_name for row in trace.rows] == ["Calls"]


def test_traces_that_overlap_note_their_own_calls_and_end_with_torch_as_it_was():
    before = nn.Module._call_impl
    first_is_in, second_is_in = threading.Event(), threading.Event()
    traces = []

    def first(self, x):
        first_is_in.set()
        assert second_is_in.wait(300)
        return self.layer(x)

    def second(self, x):
        second_is_in.set()
        running.join(60)  # the first ends while this one still runs
        assert not torch.backends.mha.get_fastpath_enabled()
        return self.layer(x)

    def run(forward):
        traces.append(trace_forward(Calls(forward, layer=nn.Linear(2, 2)), torch.rand(1, 2)))

    running = threading.Thread(target=run, args=(first,))
    running.start()
    assert first_is_in.wait(300)
    run(second)

    assert [(trace.outcome.ok, len(trace.rows)) for trace in traces] == [(True, 2)] * 2
    assert nn.Module._call_impl is before
    assert torch.backends.mha.get_fastpath_enabled()
