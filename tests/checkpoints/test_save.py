import io
import pickle
import pickletools
import zipfile

import pytest
import safetensors.torch
import torch
from torch import nn

from playground.checkpoints import save
from playground.checkpoints.save import (
    MAX_BYTES,
    built_network,
    full_checkpoint,
    save_safetensors,
    save_torch,
)
from playground.compute.outcome import Outcome
from playground.errors import CheckpointTooLargeError
from playground.machines.simulated import simulated_gpus
from playground.modules.spec import Block, InputSpec, Layer, Network

OK = Outcome(ok=True)


def read(data: bytes | None, **how: object) -> object:
    assert data is not None
    return torch.load(io.BytesIO(data), weights_only=True, **how)


def linear(outputs: int) -> Layer:
    return Layer.of("Linear", in_features=20, out_features=outputs)


def network(*layers: Layer) -> Network:
    return Network(Block(layers), InputSpec((2, 20)))


@pytest.mark.parametrize(
    "value",
    [
        torch.arange(4.0),
        [torch.zeros(0), torch.tensor(3, dtype=torch.int64)],
        {"a": torch.ones(2, 3, dtype=torch.bfloat16), "b": {"c": [torch.tensor([True])]}},
    ],
)
def test_what_is_saved_is_read_back(value):
    saved = save_torch(value)

    assert saved.outcome == OK
    torch.testing.assert_close(read(saved.data), value, rtol=0, atol=0)


def test_the_same_value_gives_the_same_bytes():
    def made():
        torch.manual_seed(3)
        return nn.Linear(3, 2).state_dict()

    assert save_torch(made()).data == save_torch(made()).data
    assert save_safetensors(made()).data == save_safetensors(made()).data


def test_a_network_of_a_spec_is_saved_and_loaded_into_plain_torch():
    net = built_network(network(linear(4), Layer.of("BatchNorm1d", num_features=4)), seed=5)
    plain = nn.Sequential(nn.Linear(20, 4), nn.BatchNorm1d(4))
    x = torch.randn(2, 20)

    plain.load_state_dict(read(save_torch(net.state_dict()).data))

    torch.testing.assert_close(plain(x), net(x), rtol=0, atol=0)


def test_safetensors_gives_the_same_tensors_and_the_metadata():
    state = built_network(network(linear(4))).state_dict()

    data = save_safetensors(state, {"epoch": "3"}).data

    torch.testing.assert_close(safetensors.torch.load(data), dict(state), rtol=0, atol=0)
    assert b'"epoch":"3"' in data[:400]


def test_training_goes_on_from_a_full_checkpoint_bit_for_bit():
    def train(net: nn.Module, optimizer: torch.optim.Optimizer, steps: int) -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            net(torch.ones(2, 3)).square().sum().backward()
            optimizer.step()

    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    train(net, optimizer, 3)
    found = read(save_torch(full_checkpoint(net, optimizer, 3, loss=0.5)).data)
    train(net, optimizer, 3)

    again = nn.Linear(3, 2)
    resumed = torch.optim.Adam(again.parameters(), lr=9.0)
    again.load_state_dict(found["model"])
    resumed.load_state_dict(found["optimizer"])
    train(again, resumed, 3)

    assert (found["epoch"], found["loss"]) == (3, 0.5)
    torch.testing.assert_close(again.state_dict(), net.state_dict(), rtol=0, atol=0)


SHARED = torch.ones(4)


@pytest.mark.parametrize(
    ("tensors", "error_type", "words"),
    [
        ({"a": SHARED, "b": SHARED}, "RuntimeError", "Some tensors share memory"),
        ({"a": torch.ones(2, 3).T}, "ValueError", "non contiguous tensor: `a`"),
        ({"a": {"b": torch.ones(2)}}, "ValueError", "expected torch.Tensor but received"),
        ({"epoch": 3}, "ValueError", "Key `epoch` is invalid"),
        ([torch.ones(2)], "ValueError", "Expected a dict"),
    ],
)
def test_safetensors_refuses_in_its_own_words(tensors, error_type, words):
    saved = save_safetensors(tensors)

    assert (saved.data, saved.outcome.error_type) == (None, error_type)
    assert words in saved.outcome.message


def test_what_torch_cannot_save_is_an_answer_too():
    value = {"loss": lambda output: output}

    saved = save_torch(value)

    with pytest.raises((AttributeError, pickle.PicklingError)) as refused:
        pickle.dumps(value)  # each Python words it in its own way
    assert (saved.data, saved.outcome.error_type) == (None, refused.type.__name__)
    assert saved.outcome.message == str(refused.value)


def test_too_much_is_refused_before_a_file_is_made(monkeypatch):
    def never(*_: object) -> None:
        raise AssertionError("a file was begun")

    monkeypatch.setattr(torch, "save", never)
    monkeypatch.setattr(save, "safetensors_save", never)
    large = torch.empty(1).expand(MAX_BYTES // 4 + 1)  # takes no memory; its values would

    with pytest.raises(CheckpointTooLargeError):
        save_safetensors({"a": large})
    with pytest.raises(CheckpointTooLargeError):
        save_torch({"view": torch.empty(MAX_BYTES + 4, dtype=torch.uint8)[:1]})


def test_long_texts_count_as_well():
    with pytest.raises(CheckpointTooLargeError):
        save_torch({"text": "x" * (MAX_BYTES + 1)})


def test_a_network_too_large_for_a_file_is_not_built(monkeypatch):
    monkeypatch.setattr(save, "build", lambda *_: pytest.fail("it was built"))
    spec = network(linear(MAX_BYTES // 80))

    with pytest.raises(CheckpointTooLargeError) as refused:
        built_network(spec)

    assert refused.value.values["given"] > refused.value.values["most"]


def locations(data: bytes) -> set[str]:
    """The device of every storage, read from the pickle's own persistent ids."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        name = next(each for each in archive.namelist() if each.endswith("data.pkl"))
        texts = [text for _, text, _ in pickletools.genops(archive.read(name))]
    return {each for each in texts if each in ("cpu", "cuda:0", "cuda:1")}


def test_a_file_made_on_a_simulated_gpu_is_tagged_with_it():
    with simulated_gpus(2):
        net = nn.Linear(2, 1).to("cuda:0")
        saved = save_torch(net.state_dict())
        plain = save_safetensors(net.state_dict())

    assert locations(saved.data) == {"cuda:0"}
    with pytest.raises(RuntimeError, match="deserialize object on a CUDA device"):
        read(saved.data)
    on_cpu = read(saved.data, map_location="cpu")
    assert on_cpu["weight"].device.type == "cpu"
    torch.testing.assert_close(safetensors.torch.load(plain.data), dict(on_cpu), rtol=0, atol=0)
