"""A network made lazy: which layers wait, and that everything else stays as it was."""

import pytest
import torch
from torch import nn
from torch.nn.modules.lazy import LazyModuleMixin

from playground.modules.build import build, draw_inputs
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from playground.modules.spec.lazy import WITHOUT, lazy_paths, postponed
from playground.modules.spec.presets import PRESETS


def linear(inputs, outputs, **given):
    return Layer("Linear", {"in_features": inputs, "out_features": outputs}, **given)


def test_every_lazy_layer_of_torch_has_its_ready_twin():
    lazy = {name.removeprefix("Lazy") for name in nn.modules.__all__ if name.startswith("Lazy")}

    assert set(WITHOUT) == lazy


@pytest.mark.parametrize("name", PRESETS)
def test_a_network_made_lazy_becomes_the_same_network(name):
    ready, lazy = build(PRESETS[name]), build(postponed(PRESETS[name]))

    waiting = [path for path, each in lazy.named_modules() if isinstance(each, LazyModuleMixin)]
    assert tuple(waiting) == lazy_paths(postponed(PRESETS[name]))
    lazy(*draw_inputs(PRESETS[name].input))
    assert repr(lazy) == repr(ready)
    shapes = [
        [(path, each.shape) for path, each in net.named_parameters()] for net in (ready, lazy)
    ]
    assert shapes[0] == shapes[1]


def test_all_layers_that_can_wait_do():
    inner = Block([linear(4, 2, name="a")])
    layers = [linear(4, 4), Layer("ReLU"), linear(4, 4, times=2), inner]
    network = Network(Block(layers), InputSpec((2, 4)))

    assert lazy_paths(postponed(network)) == ("0", "2", "3", "4.a")


def test_what_is_shared_stays_shared():
    network = Network(Block([linear(4, 4), Layer("ReLU"), Shared("0")]), InputSpec((2, 4)))

    net = build(postponed(network))
    net(torch.ones(2, 4))
    assert net[0] is net[2]
    assert type(net[0]) is nn.Linear


def test_a_network_without_such_layers_is_not_changed():
    network = Network(Block([Layer("ReLU"), Layer("MLP")]), InputSpec((2, 20)))

    assert postponed(network) == network
    assert lazy_paths(postponed(network)) == ()
