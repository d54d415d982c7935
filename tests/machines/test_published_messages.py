"""Published messages of real CUDA, from questions and issues, and those of simulated devices.

The wording changed between releases. So the two formats of the same-device error are compared by
their argument and kernel, other messages by their words without sizes and device indices.
"""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from playground.machines.simulated import simulated_gpus

PUBLISHED = json.loads((Path(__file__).parent / "published_cuda_messages.json").read_text("utf-8"))
NAMED = (
    r"found at least two devices, \S+ and \S+! "
    r"\(when checking argument for argument (?P<argument>\w+) in method (?P<method>\w+)",
    r"got (?P<argument>\w+) is on \S+, different from other tensors on \S+ "
    r"\(when checking argument in method (?P<method>\w+)\)",
)


def normalise(text: str) -> object:
    for pattern in NAMED:
        if found := re.search(pattern, text):
            return found["argument"], found["method"]
    words = text.replace("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF").replace("`", "")
    words = re.sub(r"\b[\d.]+ (GiB|MiB|KiB|bytes)", "SIZE", words)
    return re.sub(r"(cuda:|GPU |type ')?\d+'?", "N", words).strip()


def on_gpu(index: int = 0) -> torch.Tensor:
    return torch.ones(2, 2, device=f"cuda:{index}")


def step_adam_after_a_move() -> None:
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    net.cuda()
    optimizer.step()


def use_a_hidden_gpu() -> None:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    torch.ones(1).cuda()


def use_cuda_after_a_fork() -> None:
    on_gpu()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            on_gpu()
        except RuntimeError as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    raise RuntimeError(os.read(reader, 1000).decode())


INDEX = torch.tensor([[0, 1]])
LENGTHS = torch.tensor([2])
SEQUENCE = torch.ones(2, 1, 2)
SITUATIONS: dict[str, Callable[[], object]] = {
    "add": lambda: on_gpu() + torch.ones(2, 2),
    "linear_with_cpu_input": lambda: nn.Linear(2, 2).cuda()(torch.ones(1, 2)),
    "cross_entropy_weights_on_cpu": lambda: nn.CrossEntropyLoss(torch.ones(2))(
        on_gpu(), INDEX[0].cuda()
    ),
    "matmul": lambda: on_gpu() @ torch.ones(2, 2),
    "embedding_with_cpu_indices": lambda: nn.Embedding(2, 2).cuda()(INDEX),
    "cross_entropy_target_on_the_other_gpu": lambda: F.cross_entropy(on_gpu(), INDEX[0].cuda(1)),
    "layer_norm_left_on_the_cpu": lambda: nn.LayerNorm(2)(on_gpu()),
    "cat": lambda: torch.cat([torch.ones(2, 2), on_gpu()]),
    "scatter_a_number_by_an_index_of_the_other_gpu": lambda: on_gpu().scatter_(
        1, INDEX.cuda(1), 1.0
    ),
    "convolution_left_on_the_cpu": lambda: nn.Conv2d(1, 1, 1)(on_gpu()[None, None]),
    "convolution_with_cpu_input": lambda: nn.Conv2d(1, 1, 1).cuda()(torch.ones(1, 1, 2, 2)),
    "lstm_with_cpu_input": lambda: nn.LSTM(2, 2).cuda()(
        SEQUENCE, (torch.zeros(1, 1, 2), torch.zeros(1, 1, 2))
    ),
    "lstm_hidden_state_on_the_cpu": lambda: nn.LSTM(2, 2).cuda()(
        SEQUENCE.cuda(), (torch.zeros(1, 1, 2), torch.zeros(1, 1, 2))
    ),
    "cpu_tensor_with_a_cuda_index": lambda: torch.ones(2)[INDEX.cuda()],
    "masked_fill_with_a_cpu_mask": lambda: on_gpu().masked_fill(torch.ones(2, 2) > 0, 0.0),
    "masked_fill_over_two_gpus": lambda: on_gpu(1).masked_fill_(on_gpu(0) > 0, 0.0),
    "lengths_on_the_gpu": lambda: nn.utils.rnn.pack_padded_sequence(
        SEQUENCE.cuda(), LENGTHS.cuda()
    ),
    "numpy": lambda: on_gpu().numpy(),
    "pinning_floats": lambda: on_gpu().pin_memory(),
    "pinning_integers": lambda: INDEX.cuda().pin_memory(),
    "optimizer_state_elsewhere": step_adam_after_a_move,
    "no_gpu_visible": use_a_hidden_gpu,
    "missing_gpu": lambda: torch.ones(1).cuda(7),
    "forked": use_cuda_after_a_fork,
    "out_of_memory": lambda: torch.empty(2**34, device="cuda"),
}


def test_every_published_message_has_a_situation():
    assert {published["situation"] for published in PUBLISHED} == SITUATIONS.keys()
    assert len(PUBLISHED) >= 12


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("published", PUBLISHED, ids=[each["situation"] for each in PUBLISHED])
def test_simulated_devices_say_what_cuda_said(published):
    with simulated_gpus(2), pytest.raises(Exception) as refusal:  # noqa: PT011 - compared below
        SITUATIONS[published["situation"]]()

    given, expected = normalise(str(refusal.value)), normalise(published["text"])
    assert type(refusal.value).__name__ == published["error"]
    assert given == expected or str(given).startswith(str(expected))
