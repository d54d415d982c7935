"""Computed bytes of training, against tensors that a real step on the CPU keeps."""

from collections.abc import Iterator

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

from playground.errors import InvalidSettingError, InvalidSpecError
from playground.modules.analysis import analyze
from playground.modules.build import build, draw_inputs
from playground.modules.memory import DTYPES, training_memory
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.presets import BUILDER_PRESETS
from playground.modules.spec.starts import STARTS
from playground.modules.workbench_types import Optimizer

OPTIMIZERS = {
    Optimizer.SGD: lambda all: torch.optim.SGD(all, lr=0.1),
    Optimizer.MOMENTUM: lambda all: torch.optim.SGD(all, lr=0.1, momentum=0.9),
    Optimizer.ADAM: torch.optim.Adam,
    Optimizer.ADAMW: torch.optim.AdamW,
    Optimizer.RMSPROP: torch.optim.RMSprop,
    Optimizer.ADAGRAD: torch.optim.Adagrad,
}
# The loop in the block of the lesson runs on real numbers only, and a broken net has no step.
RUNNING = {n: each for n, each in BUILDER_PRESETS.items() if n not in ("chimera", "broken")}
SMALL = InputSpec((2, 6, 4))
LAYERS = {
    "lstm": Layer.of("LSTM", input_size=4, hidden_size=3, batch_first=True),
    "attention": Layer("MultiheadAttention", {"embed_dim": 4, "num_heads": 2}, inputs=["-"] * 3),
    "dropout": Block([Layer.of("Linear", in_features=4, out_features=4), Layer("Dropout")]),
    "norm": Layer.of("BatchNorm1d", num_features=6),
}
NETWORKS = RUNNING | {name: Network(Block([each]), SMALL) for name, each in LAYERS.items()}


def bytes_of(tensors) -> int:
    return sum({each.data_ptr(): each.nbytes for each in tensors}.values())


def saved_bytes(net: nn.Module, inputs) -> int:
    own = {each.untyped_storage().data_ptr() for each in (*net.parameters(), *net.buffers())}
    saved = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        saved.setdefault(tensor.untyped_storage().data_ptr(), tensor)
        return tensor

    with saved_tensors_hooks(pack, lambda each: each):
        net(*inputs)
    return sum(each.untyped_storage().nbytes() for key, each in saved.items() if key not in own)


@pytest.fixture(autouse=True)
def without_onednn() -> Iterator[None]:
    """Its LSTM keeps a work space of its own on the CPU."""
    torch._C._set_mkldnn_enabled(False)
    yield
    torch._C._set_mkldnn_enabled(True)


# Norms of half precision keep their statistics in half precision on the CPU, and only there.
HALF = ("mlp", "small_cnn", "branches", "attention")


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *((name, dtype) for name in NETWORKS for dtype in ("float32", "float64")),
        *((name, "bfloat16") for name in HALF),
    ],
)
def test_activations_are_what_a_forward_on_the_cpu_saves(name, dtype):
    network, kind = NETWORKS[name], getattr(torch, dtype)
    net = build(network).to(kind)
    inputs = [x.to(kind) if x.is_floating_point() else x for x in draw_inputs(network.input)]
    found = training_memory(network, dtype=dtype)

    assert found.activations == saved_bytes(net, inputs)
    assert found.parameters == bytes_of(net.parameters())
    assert found.buffers == bytes_of(net.buffers())


@pytest.mark.parametrize("optimizer", Optimizer)
@pytest.mark.parametrize("name", ["small_cnn", "shared"])
def test_gradients_and_state_are_what_a_step_on_the_cpu_leaves(name, optimizer):
    network = BUILDER_PRESETS[name]
    net = build(network)
    made = OPTIMIZERS[optimizer](net.parameters())
    net(*draw_inputs(network.input)).sum().backward()
    made.step()
    states = [each for state in made.state.values() for each in state.values()]
    found = training_memory(network, optimizer=optimizer)

    assert found.gradients == bytes_of(each.grad for each in net.parameters())
    assert found.optimizer_state == bytes_of(each for each in states if each is not None)
    assert found.total == sum(
        (found.parameters, found.gradients, found.optimizer_state, found.activations, found.buffers)
    )


def test_a_batch_of_twice_the_size_has_twice_the_activations_and_the_same_parameters():
    one, two = (training_memory(BUILDER_PRESETS["mlp"], batch=size) for size in (8, 16))
    assert two.activations == 2 * one.activations
    assert two.parameters == one.parameters


@pytest.mark.parametrize(
    "wrong", [{"optimizer": "lion"}, {"dtype": "int8"}, {"batch": 0}, {"batch": 10**9}]
)
def test_what_cannot_be_computed_is_refused(wrong):
    with pytest.raises((InvalidSettingError, InvalidSpecError)):
        training_memory(BUILDER_PRESETS["mlp"], **wrong)


def test_every_dtype_is_one_of_torch_s():
    assert all(getattr(torch, each).is_floating_point for each in DTYPES)


@pytest.mark.parametrize("name", [name for name in STARTS if name != "chimera"])
def test_the_builder_shows_the_same_bytes_whether_it_runs_the_network_or_not(name):
    assert analyze(STARTS[name].to_json()).memory == training_memory(STARTS[name])
