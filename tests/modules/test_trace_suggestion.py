"""A failing forward: the rows up to it, where it failed, and a change that really fits."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from playground.modules.trace import trace_forward

images, sequences = torch.rand(2, 3, 8, 8), torch.rand(2, 5, 6)


def packed():
    return pack_padded_sequence(sequences, [2] * 5)


# a layer that fails, its input, what is suggested, and the layer made with that
CASES = {
    "Linear": (nn.Linear(4, 2), sequences, "in_features", 6, lambda n: nn.Linear(n, 2)),
    "Conv1d": (nn.Conv1d(4, 2, 2), sequences, "in_channels", 5, lambda n: nn.Conv1d(n, 2, 2)),
    "Conv2d": (nn.Conv2d(4, 2, 3), images, "in_channels", 3, lambda n: nn.Conv2d(n, 2, 3)),
    "one image": (nn.Conv2d(4, 2, 3), images[0], "in_channels", 3, lambda n: nn.Conv2d(n, 2, 3)),
    "ConvTranspose2d": (
        *(nn.ConvTranspose2d(4, 2, 3), images, "in_channels", 3),
        lambda n: nn.ConvTranspose2d(n, 2, 3),
    ),
    "BatchNorm2d": (nn.BatchNorm2d(4), images, "num_features", 3, nn.BatchNorm2d),
    "GroupNorm": (nn.GroupNorm(3, 6), images, "num_channels", 3, lambda n: nn.GroupNorm(3, n)),
    "LayerNorm": (nn.LayerNorm([5, 4]), sequences, "normalized_shape", (5, 6), nn.LayerNorm),
    "RMSNorm": (nn.RMSNorm(5), sequences, "normalized_shape", (6,), nn.RMSNorm),
    "PReLU": (nn.PReLU(2), images, "num_parameters", 3, nn.PReLU),
    "LSTM": (nn.LSTM(4, 2), sequences, "input_size", 6, lambda n: nn.LSTM(n, 2)),
    "packed GRU": (nn.GRU(4, 2), packed(), "input_size", 6, lambda n: nn.GRU(n, 2)),
    "GRUCell": (nn.GRUCell(4, 2), sequences[0], "input_size", 6, lambda n: nn.GRUCell(n, 2)),
    "Embedding": (
        *(nn.Embedding(5, 2), torch.tensor([1, 7]), "num_embeddings", 8),
        lambda n: nn.Embedding(n, 2),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_argument_that_fits_is_suggested_and_fits(name):
    layer, given, argument, value, remade = CASES[name]
    net = nn.Sequential(nn.Identity(), layer, nn.ReLU())

    trace = trace_forward(net, given)

    assert [row.path for row in trace.rows] == ["", "0", "1"]
    assert [row.has_returned for row in trace.rows] == [False, True, False]
    assert trace.failed_at == "1"
    suggestion = trace.suggestion
    assert (suggestion.path, suggestion.argument, suggestion.value) == ("1", argument, value)
    assert suggestion.given == getattr(layer, argument)
    remade(suggestion.value)(given)


def test_both_inputs_of_a_bilinear_layer_are_not_guessed_at_once():
    net, wrong = nn.Bilinear(2, 3, 4), torch.rand(1, 5)

    second = trace_forward(net, torch.rand(1, 2), wrong).suggestion

    assert (second.argument, second.value) == ("in2_features", 5)
    assert trace_forward(net, torch.rand(1, 6), wrong).suggestion is None


def test_attention_fits_only_a_width_that_its_heads_divide():
    net = nn.MultiheadAttention(8, 4, batch_first=True)

    good, bad = torch.rand(1, 2, 12), torch.rand(1, 2, 6)

    assert trace_forward(net, good, good, good).suggestion.value == 12
    assert trace_forward(net, bad, bad, bad).suggestion is None


def test_where_flatten_is_missing_it_is_suggested_and_fits():
    layers = nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Linear(4 * 6 * 6, 10)

    trace = trace_forward(nn.Sequential(*layers), images)

    suggestion = trace.suggestion
    assert (trace.failed_at, suggestion.path) == ("2", "2")
    assert (suggestion.insert, suggestion.argument) == ("Flatten", None)
    assert nn.Sequential(*layers[:2], nn.Flatten(), layers[2])(images).shape == (2, 10)


@pytest.mark.parametrize(
    ("layer", "given"),
    [
        (nn.Conv2d(4, 4, 3, groups=2), images),  # three channels do not make two groups
        (nn.Linear(6, 2), sequences.double()),
        (nn.Linear(4, 2), sequences.double()),  # no size is offered where the dtype is wrong
        (nn.Linear(6, 2), "words"),
        (nn.Conv2d(3, 2, 9), images),
        (nn.Embedding(5, 2), torch.tensor([-1])),
    ],
)
def test_nothing_is_suggested_where_no_argument_helps(layer, given):
    trace = trace_forward(layer, given)

    assert (trace.failed_at, trace.suggestion) == ("", None)


def test_a_missing_input_is_torchs_own_error():
    trace = trace_forward(nn.Sequential(nn.Linear(2, 2)))

    assert trace.outcome.error_type == "TypeError"
    assert trace.failed_at == ""


def test_a_container_without_a_forward_is_named():
    trace = trace_forward(nn.Sequential(nn.ModuleList([nn.ReLU()])), torch.rand(1))

    assert (trace.failed_at, trace.outcome.error_type) == ("0", "NotImplementedError")


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_an_instance_norm_without_a_batch_counts_its_first_dimension(rank):
    kind = getattr(nn, f"InstanceNorm{rank}d")

    trace = trace_forward(kind(3, affine=True), torch.rand(5, *[4] * rank))

    assert trace.suggestion.argument == "num_features"
    assert trace.suggestion.value == 5
