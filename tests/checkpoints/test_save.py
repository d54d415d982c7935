import copy
import io
import pickle
import re

import pytest
import safetensors.torch
import torch
from torch import nn

from playground.checkpoints import save
from playground.checkpoints.save import MAX_BYTES, built_network, save_safetensors, save_torch
from playground.errors import CheckpointTooLargeError
from playground.machines.simulated import simulated_gpus
from playground.modules.spec import InputSpec, Layer, Network
from tests.checkpoints.tables import torch_load

SHARED = torch.ones(4)


def test_the_same_value_gives_the_same_bytes():
    state = nn.Linear(3, 2).state_dict()

    assert save_torch(state).data == save_torch(copy.deepcopy(state)).data
    assert save_safetensors(state).data == save_safetensors(copy.deepcopy(state)).data


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


def test_too_much_is_refused_before_it_is_built_or_a_file_is_made(monkeypatch):
    with pytest.raises(CheckpointTooLargeError):
        save_torch({"text": "x" * (MAX_BYTES + 1)})  # a text counts once it is written

    wide = Layer.of("Linear", in_features=20, out_features=MAX_BYTES // 80)
    for owner, name in ((torch, "save"), (save, "safetensors_save"), (save, "build")):
        monkeypatch.setattr(owner, name, lambda *_: pytest.fail("it was begun"))

    with pytest.raises(CheckpointTooLargeError):  # takes no memory; its values would
        save_safetensors({"a": torch.empty(1).expand(MAX_BYTES // 4 + 1)})
    with pytest.raises(CheckpointTooLargeError):
        save_torch({"view": torch.empty(MAX_BYTES + 4, dtype=torch.uint8)[:1]})
    with pytest.raises(CheckpointTooLargeError) as refused:
        built_network(Network(wide, InputSpec((2, 20))))
    assert refused.value.values["given"] > refused.value.values["most"]


def test_a_file_made_on_a_simulated_gpu_is_tagged_with_it_and_safetensors_holds_the_same():
    with simulated_gpus(2):
        net = nn.Linear(2, 1).to("cuda:0")
        saved = save_torch(net.state_dict())
        plain = save_safetensors(net.state_dict(), {"epoch": "3"})

    assert saved.outcome.ok
    assert set(re.findall(rb"cpu|cuda:.", saved.data)) == {b"cuda:0"}
    with pytest.raises(RuntimeError, match="deserialize object on a CUDA device"):
        torch.load(io.BytesIO(saved.data), weights_only=True)
    on_cpu = torch_load(saved.data)
    assert on_cpu["weight"].device.type == "cpu"
    torch.testing.assert_close(safetensors.torch.load(plain.data), dict(on_cpu), rtol=0, atol=0)
    assert b'"epoch":"3"' in plain.data[:400]
