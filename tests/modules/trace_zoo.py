"""The zoo of networks whose traces are compared with torchinfo and with closed forms.

Each is a function that returns a module and what it is called with.
"""

from collections import OrderedDict

import torch
from torch import nn, rand
from torch.nn import Conv2d, Linear, ReLU, Sequential
from torch.nn.utils import parametrizations, prune

from playground.modules.custom.centered_layer import CenteredLayer
from playground.modules.custom.my_linear import MyLinear
from tests.modules.trace_support import Calls
from tests.modules.trace_zoo_nets import NETS, Keywords


def nested_blocks():
    blocks = [Sequential(Linear(4, 8), ReLU(), Linear(8, 4), ReLU()) for _ in range(4)]
    return Sequential(Sequential(*blocks), Linear(4, 1)), rand(2, 4)


def deep_mlp():
    layers = [layer for _ in range(50) for layer in (Linear(6, 6), ReLU())]
    return Sequential(*layers), rand(2, 6)


def one_frozen_bias():
    net = Sequential(Linear(4, 5), Linear(5, 2))
    net[1].bias.requires_grad_(False)
    return net, rand(1, 4)


def lenet():
    features = Conv2d(1, 6, 5, padding=2), nn.Sigmoid(), nn.AvgPool2d(2), Conv2d(6, 16, 5)
    head = Linear(400, 120), nn.Sigmoid(), Linear(120, 84), nn.Sigmoid(), Linear(84, 10)
    net = Sequential(*features, nn.Sigmoid(), nn.AvgPool2d(2), nn.Flatten(), *head)
    return net, rand(2, 1, 28, 28)


def norms_on_images():
    layers = nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.LayerNorm([4, 5, 5])
    return Sequential(*layers, nn.PReLU(4)), rand(2, 4, 5, 5)


def self_attention():
    x = rand(2, 5, 8)
    return nn.MultiheadAttention(8, 2, batch_first=True), x, x, x


def transformer_encoder():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2), rand(2, 5, 8)


def transformer():
    net = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    return net, rand(2, 5, 8), rand(2, 4, 8)


def one_layer_at_three_places():
    shared = Linear(4, 4)
    return Sequential(shared, ReLU(), shared, ReLU(), shared), rand(2, 4)


def one_memory():
    net = Sequential(Linear(4, 4, bias=False), Linear(4, 4, bias=False))
    net[1].weight = nn.Parameter(net[0].weight.detach().t())
    return net, rand(2, 4)


def pruned():
    net = Sequential(Linear(4, 4), Linear(4, 2))
    prune.random_unstructured(net[0], "weight", amount=0.5)
    return net, rand(2, 4)


def deconvolution_gan():
    first, last = nn.ConvTranspose2d(6, 4, 4), nn.ConvTranspose2d(4, 1, 4, 2, 1)
    return Sequential(first, nn.BatchNorm2d(4), ReLU(), last, nn.Tanh()), rand(2, 6, 1, 1)


SEVERAL_LINES = (
    *(nested_blocks, deep_mlp, one_frozen_bias, lenet, norms_on_images),
    *(self_attention, transformer_encoder, transformer, one_layer_at_three_places, one_memory),
    *(pruned, deconvolution_gan),
)
ALL = {each.__name__: each for each in (*SEVERAL_LINES, *NETS)} | {
    "linear": lambda: (Linear(3, 4), rand(2, 3)),
    "mlp": lambda: (Sequential(Linear(20, 256), ReLU(), Linear(256, 10)), rand(2, 20)),
    "named_layers": lambda: (
        Sequential(OrderedDict(hidden=Linear(4, 8), act=nn.GELU(), out=Linear(8, 1))),
        rand(6, 4),
    ),
    "no_parameters": lambda: (Sequential(ReLU(), nn.Flatten(), nn.Sigmoid()), rand(2, 3, 4)),
    "identity": lambda: (nn.Identity(), rand(2, 3)),
    "empty_sequential": lambda: (Sequential(), rand(2, 3)),
    "convolution_1d": lambda: (nn.Conv1d(3, 8, 5, stride=2, padding=1), rand(2, 3, 20)),
    "convolution_2d": lambda: (Conv2d(3, 8, (3, 5), padding=(1, 0)), rand(2, 3, 9, 9)),
    "grouped_convolution": lambda: (Conv2d(8, 16, 3, groups=4, bias=False), rand(2, 8, 6, 6)),
    "transposed_convolution": lambda: (nn.ConvTranspose2d(4, 2, 2, stride=2), rand(3, 4, 5, 5)),
    "batch_norm_on_features": lambda: (
        Sequential(Linear(4, 6), nn.BatchNorm1d(6), ReLU()),
        rand(5, 4),
    ),
    "batch_norm_without_weights": lambda: (nn.BatchNorm2d(4, affine=False), rand(2, 4, 3, 3)),
    "lstm": lambda: (nn.LSTM(8, 16, num_layers=2, batch_first=True), rand(3, 7, 8)),
    "gru_both_ways": lambda: (nn.GRU(8, 16, bidirectional=True), rand(7, 3, 8)),
    "elman": lambda: (nn.RNN(4, 5, nonlinearity="relu"), rand(6, 2, 4)),
    "projected_lstm": lambda: (nn.LSTM(8, 16, proj_size=4), rand(5, 2, 8)),
    "bilinear": lambda: (nn.Bilinear(3, 4, 5), rand(2, 3), rand(2, 4)),
    "double_precision": lambda: (Sequential(Linear(3, 4), ReLU()).double(), rand(2, 3).double()),
    "half_precision": lambda: (Linear(3, 4).bfloat16(), rand(2, 3).bfloat16()),
    "mixed_precision": lambda: (
        Sequential(Linear(3, 4), Calls(lambda _, x: x.bfloat16()), Linear(4, 2).bfloat16()),
        rand(2, 3),
    ),
    "on_meta": lambda: (
        Sequential(Linear(1000, 1000), ReLU(), Linear(1000, 10)).to("meta"),
        rand(2, 1000, device="meta"),
    ),
    "working_in_place": lambda: (
        Sequential(ReLU(inplace=True), Linear(3, 3), nn.ELU(inplace=True)),
        torch.randn(2, 3),
    ),
    "linear_on_sequences": lambda: (Linear(8, 16), rand(2, 5, 8)),
    "batch_norm_on_images": lambda: (
        Sequential(Conv2d(3, 8, 3), nn.BatchNorm2d(8), ReLU()),
        rand(2, 3, 6, 6),
    ),
    "embedding": lambda: (nn.Embedding(100, 8), torch.tensor([[1, 2, 3], [4, 5, 6]])),
    "bag_of_words": lambda: (
        Sequential(nn.EmbeddingBag(50, 4), Linear(4, 2)),
        torch.tensor([[1, 2], [3, 4]]),
    ),
    "lstm_cell": lambda: (nn.LSTMCell(4, 6), rand(3, 4)),
    "gru_without_batch": lambda: (nn.GRU(4, 6), rand(7, 4)),
    "parametrized": lambda: (Sequential(parametrizations.weight_norm(Linear(4, 3))), rand(2, 4)),
    "spectral_norm": lambda: (Sequential(parametrizations.spectral_norm(Linear(4, 3))), rand(2, 4)),
    "lazy": lambda: (
        Sequential(nn.LazyConv2d(4, 3), ReLU(), nn.Flatten(), nn.LazyLinear(5)),
        rand(2, 3, 6, 6),
    ),
    "my_linear": lambda: (Sequential(MyLinear(6, 4), MyLinear(4, 2)), rand(3, 6)),
    "centered": lambda: (Sequential(Linear(8, 16), CenteredLayer()), rand(4, 8)),
}


def case(name):
    """A network, its arguments and its keywords."""
    net, *args = ALL[name]()
    kwargs = args.pop() if type(args[-1]) is Keywords else {}
    return net, tuple(args), dict(kwargs)
