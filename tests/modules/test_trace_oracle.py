"""Traces of the zoo against torchinfo; where torchinfo is wrong, against closed forms."""

import functools

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from torchinfo import summary

from playground.modules.trace import trace_forward
from tests.modules import trace_zoo
from tests.modules.trace_support import paths

pytestmark = pytest.mark.filterwarnings("ignore:LSTM with projections:UserWarning")
every_network = pytest.mark.parametrize("name", trace_zoo.ALL)

# torchinfo counts two parameters in one memory twice, and what pruning has masked not at all.
TRUE_PARAMETERS = {
    "tied_language_model": {"": 20 * 8, "embedding": 20 * 8, "head": 20 * 8},
    "one_memory": {"": 4 * 4, "0": 4 * 4, "1": 4 * 4},
    "pruned": {"": 4 * 4 + 4 + 4 * 2 + 2, "0": 4 * 4 + 4, "1": 4 * 2 + 2},
}

ENCODER = {  # 2 sequences of 5 steps, 8 features, 16 inside
    "self_attn": 10 * (3 * (8 * 8 + 8) + 8 * 8 + 8),
    "norm1": 10 * 2 * 8,
    "linear1": 10 * (8 * 16 + 16),
    "linear2": 10 * (16 * 8 + 8),
    "norm2": 10 * 2 * 8,
}
DECODER = {  # 2 sequences of 4 steps, that look at 5
    "self_attn": 8 * (3 * (8 * 8 + 8) + 8 * 8 + 8),
    "multihead_attn": 8 * (2 * (8 * 8 + 8)) + 10 * 2 * (8 * 8 + 8),
    "linear1": 8 * (8 * 16 + 16),
    "linear2": 8 * (16 * 8 + 8),
    **dict.fromkeys(("norm1", "norm2", "norm3"), 8 * 2 * 8),
}


def inside(path, figures):
    return {f"{path}.{name}": figure for name, figure in figures.items()}


# torchinfo takes the first size of the output for the number of uses, of unknown names the first
# two; takes a lookup for a product; leaves out layers whose weights lie in a child. Each figure
# here is written out by hand: uses times weights and biases.
TRUE_MULTIPLY_ADDS = {
    "linear_on_sequences": {"": 2 * 5 * (8 * 16 + 16)},
    "batch_norm_on_images": {"1": 2 * (2 * 8 * 4 * 4)},
    "norms_on_images": {**dict.fromkeys("012", 2 * (2 * 4 * 5 * 5)), "3": 2 * 4 * 5 * 5},
    "resnet": {
        **dict.fromkeys(("1.norm1", "1.norm2"), 2 * (2 * 8 * 16 * 16)),
        **dict.fromkeys(("2.norm1", "2.norm2", "3.norm1", "3.norm2"), 2 * (2 * 16 * 8 * 8)),
        **dict.fromkeys(("4.norm1", "4.norm2"), 2 * (2 * 32 * 4 * 4)),
    },
    "transposed_convolution": {"": 3 * (5 * 5 * 4 * 2 * 2 * 2 + 10 * 10 * 2)},
    "embedding": {"": 0},
    "bag_of_words": {"": 0},
    "tied_language_model": {"embedding": 0, "head": 3 * 8 * 20},
    "lstm_cell": {"": 3 * 4 * (4 * 6 + 6 * 6 + 6 + 6)},
    "gru_without_batch": {"": 7 * 3 * (4 * 6 + 6 * 6 + 6 + 6)},
    "packed_sequences": {"rnn": (5 + 3) * 3 * (3 * 4 + 4 * 4 + 4 + 4)},
    "self_attention": {"": 10 * (3 * (8 * 8 + 8) + 8 * 8 + 8)},
    "transformer": {
        **inside("encoder.layers.0", ENCODER),
        **inside("decoder.layers.0", DECODER),
        "encoder.norm": 10 * 2 * 8,
        "decoder.norm": 8 * 2 * 8,
    },
    "vision_transformer": {
        "patches": 2 * 2 * 2 * (3 * 8 * 4 * 4 + 8),
        **inside("encoder", {name: figure // 10 * 8 for name, figure in ENCODER.items()}),
    },
    "pruned": {"0": 2 * (4 * 4 + 4)},  # masked weights are multiplied too
    "parametrized": {"0": 2 * (4 * 3 + 3)},
    "spectral_norm": {"0": 2 * (4 * 3 + 3)},
    "a_parameter_beside_layers": {"": None, "scale": None},  # nobody knows what it does with it
}


@functools.cache
def trace_and_account(name):
    """A network's trace, and torchinfo's account of one just like it."""
    torch.manual_seed(0)
    net, args, kwargs = trace_zoo.case(name)
    trace = trace_forward(net, *args, **kwargs)
    torch.manual_seed(0)
    net, args, kwargs = trace_zoo.case(name)
    return trace, summary(net, input_data=list(args), verbose=0, **kwargs)


def calls_of(name):
    """Each row with torchinfo's account of the same call."""
    trace, account = trace_and_account(name)
    executed = [layer for layer in account.summary_list if layer.executed]
    return list(zip(trace.rows, executed, strict=True))


@every_network
def test_calls_their_names_parameters_and_shapes_are_torchinfos(name):
    true = TRUE_PARAMETERS.get(name, {})
    for place, (row, layer) in enumerate(calls_of(name)):
        assert row.type_name == layer.class_name
        if place and row.calls == 1:  # torchinfo gives a layer with many names its last one
            assert row.path.rsplit(".", 1)[-1] == layer.var_name
        assert row.total_parameters == true.get(row.path, layer.num_params)
        last = name == "gan" and row.path == ""  # of a dict torchinfo shows the last value
        assert row.output_shapes[-1 if last else 0] == tuple(layer.output_size)


@every_network
def test_multiply_adds_are_torchinfos_or_a_closed_form(name):
    trace, account = trace_and_account(name)
    true = TRUE_MULTIPLY_ADDS.get(name, {})
    for row, layer in calls_of(name):
        if row.path in true:
            assert row.multiply_adds == true[row.path]
        elif layer.is_leaf_layer:
            assert row.multiply_adds == layer.macs
    assert set(true) <= set(paths(trace))
    assert trace.multiply_adds == sum(row.multiply_adds or 0 for row in trace.rows)
    assert true or trace.multiply_adds == account.total_mult_adds


@pytest.mark.parametrize("name", [each for each in trace_zoo.ALL if each != "one_memory"])
def test_totals_are_what_torch_itself_lists(name):
    net, args, kwargs = trace_zoo.case(name)
    trace = trace_forward(net, *args, **kwargs)

    parameters, buffers = list(net.parameters()), list(net.buffers())
    trainable = [each for each in parameters if each.requires_grad]
    assert trace.total_parameters == sum(each.numel() for each in parameters)
    assert trace.trainable_parameters == sum(each.numel() for each in trainable)
    assert trace.buffers == sum(each.numel() for each in buffers)
    assert trace.size_bytes == sum(each.nbytes for each in parameters + buffers)


images, sequences = torch.rand(2, 3, 8, 8), torch.rand(2, 5, 6)
packed = pack_padded_sequence(sequences, [2] * 5)

# how a layer is made, with what it fails, its input, and what is suggested
CASES = {
    "Linear": (lambda n: nn.Linear(n, 2), 4, sequences, "in_features", 6),
    "Conv1d": (lambda n: nn.Conv1d(n, 2, 2), 4, sequences, "in_channels", 5),
    "Conv2d": (lambda n: nn.Conv2d(n, 2, 3), 4, images, "in_channels", 3),
    "one image": (lambda n: nn.Conv2d(n, 2, 3), 4, images[0], "in_channels", 3),
    "ConvTranspose2d": (lambda n: nn.ConvTranspose2d(n, 2, 3), 4, images, "in_channels", 3),
    "BatchNorm2d": (nn.BatchNorm2d, 4, images, "num_features", 3),
    "no batch": (lambda n: nn.InstanceNorm2d(n, affine=True), 4, images[0], "num_features", 3),
    "GroupNorm": (lambda n: nn.GroupNorm(3, n), 6, images, "num_channels", 3),
    "LayerNorm": (nn.LayerNorm, (5, 4), sequences, "normalized_shape", (5, 6)),
    "RMSNorm": (nn.RMSNorm, (5,), sequences, "normalized_shape", (6,)),
    "PReLU": (nn.PReLU, 2, images, "num_parameters", 3),
    "LSTM": (lambda n: nn.LSTM(n, 2), 4, sequences, "input_size", 6),
    "packed GRU": (lambda n: nn.GRU(n, 2), 4, packed, "input_size", 6),
    "GRUCell": (lambda n: nn.GRUCell(n, 2), 4, sequences[0], "input_size", 6),
    "Embedding": (lambda n: nn.Embedding(n, 2), 5, torch.tensor([1, 7]), "num_embeddings", 8),
}


@pytest.mark.parametrize(("make", "wrong", "given", "argument", "value"), CASES.values(), ids=CASES)
def test_the_argument_that_fits_is_suggested_and_fits(make, wrong, given, argument, value):
    trace = trace_forward(nn.Sequential(nn.Identity(), make(wrong), nn.ReLU()), given)

    assert [row.path for row in trace.rows] == ["", "0", "1"]
    assert [row.has_returned for row in trace.rows] == [False, True, False]
    assert trace.failed_at == "1"
    suggestion = trace.suggestion
    assert (suggestion.path, suggestion.argument) == ("1", argument)
    assert (suggestion.given, suggestion.value) == (wrong, value)
    make(value)(given)


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


def test_a_missing_input_and_a_container_without_a_forward_are_torchs_own_errors():
    missing = trace_forward(nn.Sequential(nn.Linear(2, 2)))
    container = trace_forward(nn.Sequential(nn.ModuleList([nn.ReLU()])), torch.rand(1))
    assert (missing.failed_at, missing.outcome.error_type) == ("", "TypeError")
    assert (container.failed_at, container.outcome.error_type) == ("0", "NotImplementedError")
