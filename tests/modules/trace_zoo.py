"""The zoo of networks whose traces are compared with torchinfo and with closed forms.

Each is a function that returns a module and what it is called with.
"""

import torch
import torch.nn.functional as F
from torch import nn, rand
from torch.nn import Conv2d, Linear, ReLU, Sequential
from torch.nn.utils import parametrizations, prune, rnn

from playground.modules.custom import CenteredLayer, MyLinear
from tests.modules.trace_support import Calls


class Keywords(dict):
    """The last of what a function returns, where the module takes keywords."""


class Residual(nn.Module):
    def __init__(self, channels, wider, stride=1):
        super().__init__()
        self.conv1 = Conv2d(channels, wider, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(wider)
        self.conv2 = Conv2d(wider, wider, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(wider)
        self.shortcut = Conv2d(channels, wider, 1, stride) if stride > 1 else None

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        y += x if self.shortcut is None else self.shortcut(x)
        return F.relu(y)


def resnet():
    stages = Residual(8, 8), Residual(8, 16, 2), Residual(16, 16), Residual(16, 32, 2)
    head = nn.AdaptiveAvgPool2d(1), nn.Flatten(), Linear(32, 10)
    return Sequential(Conv2d(3, 8, 3, padding=1), *stages, *head), rand(2, 3, 16, 16)


def gan():
    def forward(self, noise):
        made = self.generator(noise)
        return {"made": made, "score": self.critic(made)}

    generator = Sequential(Linear(4, 8), ReLU(), Linear(8, 6), nn.Tanh())
    critic = Sequential(Linear(6, 8), nn.LeakyReLU(0.2), Linear(8, 1))
    return Calls(forward, generator=generator, critic=critic), rand(5, 4)


def one_layer_five_times():
    def forward(self, x):
        for _ in range(5):
            x = torch.relu(self.layer(x))
        return x

    return Calls(forward, layer=Linear(4, 4)), rand(2, 4)


def a_parameter_beside_layers():
    scale = Calls(lambda self, x: self.factor * x, factor=nn.Parameter(torch.ones(3)))
    parts = {"layer": Linear(3, 3), "scale": scale, "shift": nn.Parameter(torch.zeros(3))}
    return Calls(lambda self, x: self.scale(self.layer(x)) + self.shift, **parts), rand(2, 3)


def tied_language_model():
    net = Calls(lambda self, tokens: self.head(self.embedding(tokens)))
    net.embedding, net.head = nn.Embedding(20, 8), Linear(8, 20, bias=False)
    net.head.weight = net.embedding.weight
    return net, torch.tensor([[1, 2, 3]])


def parameters_in_lists():
    def forward(self, x):
        for weight in self.weights:
            x = x @ weight
        return x + self.table["bias"]

    weights = nn.ParameterList([nn.Parameter(rand(3, 3)) for _ in range(2)])
    table = nn.ParameterDict({"bias": nn.Parameter(rand(3))})
    return Calls(forward, weights=weights, table=table), rand(2, 3)


def vision_transformer():
    def forward(self, images, mask=None):
        x = self.patches(images).flatten(2).transpose(1, 2) + self.position
        return self.head(self.encoder(x, src_mask=mask).mean(1))

    net = Calls(forward, patches=Conv2d(3, 8, 4, stride=4))
    net.position = nn.Parameter(torch.zeros(1, 4, 8))
    net.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    net.head = Linear(8, 5)
    return net, rand(2, 3, 8, 8), Keywords(mask=None)


def packed_sequences():
    def forward(self, x, lengths):
        packed = rnn.pack_padded_sequence(x, lengths)
        return rnn.pad_packed_sequence(self.rnn(packed)[0])[0]

    return Calls(forward, rnn=nn.GRU(3, 4)), rand(5, 2, 3), [5, 3]


def a_layer_that_is_never_called():
    def forward(self, x):
        return F.linear(x, self.layer.weight, self.layer.bias)

    return Calls(forward, layer=Linear(3, 4)), rand(2, 3)


def one_frozen_bias():
    net = Sequential(Linear(4, 5), Linear(5, 2))
    net[1].bias.requires_grad_(False)
    return net, rand(1, 4)


def norms_on_images():
    layers = nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.LayerNorm([4, 5, 5])
    return Sequential(*layers, nn.PReLU(4)), rand(2, 4, 5, 5)


def self_attention():
    x = rand(2, 5, 8)
    return nn.MultiheadAttention(8, 2, batch_first=True), x, x, x


def transformer():
    net = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    return net, rand(2, 5, 8), rand(2, 4, 8)


def one_memory():
    net = Sequential(Linear(4, 4, bias=False), Linear(4, 4, bias=False))
    net[1].weight = nn.Parameter(net[0].weight.detach().t())
    return net, rand(2, 4)


def pruned():
    net = Sequential(Linear(4, 4), Linear(4, 2))
    prune.random_unstructured(net[0], "weight", amount=0.5)
    return net, rand(2, 4)


SEVERAL_LINES = (
    *(resnet, gan, one_layer_five_times, a_parameter_beside_layers, tied_language_model),
    *(parameters_in_lists, vision_transformer, packed_sequences, a_layer_that_is_never_called),
    *(one_frozen_bias, norms_on_images, self_attention, transformer, one_memory, pruned),
)
ALL = {each.__name__: each for each in SEVERAL_LINES} | {
    "mlp": lambda: (Sequential(Linear(20, 256), ReLU(), Linear(256, 10)), rand(2, 20)),
    "no_parameters": lambda: (Sequential(ReLU(), nn.Flatten(), nn.Sigmoid()), rand(2, 3, 4)),
    "identity": lambda: (nn.Identity(), rand(2, 3)),
    "empty_sequential": lambda: (Sequential(), rand(2, 3)),
    "convolution_1d": lambda: (nn.Conv1d(3, 8, 5, stride=2, padding=1), rand(2, 3, 20)),
    "convolution_2d": lambda: (Conv2d(3, 8, (3, 5), padding=(1, 0)), rand(2, 3, 9, 9)),
    "grouped_convolution": lambda: (Conv2d(8, 16, 3, groups=4, bias=False), rand(2, 8, 6, 6)),
    "transposed_convolution": lambda: (nn.ConvTranspose2d(4, 2, 2, stride=2), rand(3, 4, 5, 5)),
    "batch_norm_without_weights": lambda: (nn.BatchNorm2d(4, affine=False), rand(2, 4, 3, 3)),
    "lstm": lambda: (nn.LSTM(8, 16, num_layers=2, batch_first=True), rand(3, 7, 8)),
    "gru_both_ways": lambda: (nn.GRU(8, 16, bidirectional=True), rand(7, 3, 8)),
    "projected_lstm": lambda: (nn.LSTM(8, 16, proj_size=4), rand(5, 2, 8)),
    "bilinear": lambda: (nn.Bilinear(3, 4, 5), rand(2, 3), rand(2, 4)),
    "double_precision": lambda: (Sequential(Linear(3, 4), ReLU()).double(), rand(2, 3).double()),
    "half_precision": lambda: (Linear(3, 4).bfloat16(), rand(2, 3).bfloat16()),
    "mixed_precision": lambda: (
        Sequential(Linear(3, 4), Calls(lambda _, x: x.bfloat16()), Linear(4, 2).bfloat16()),
        rand(2, 3),
    ),
    "on_meta": lambda: (Sequential(Linear(9, 8), ReLU()).to("meta"), rand(2, 9, device="meta")),
    "working_in_place": lambda: (Sequential(ReLU(inplace=True), Linear(3, 3)), torch.randn(2, 3)),
    "linear_on_sequences": lambda: (Linear(8, 16), rand(2, 5, 8)),
    "batch_norm_on_images": lambda: (
        Sequential(Conv2d(3, 8, 3), nn.BatchNorm2d(8)),
        rand(2, 3, 6, 6),
    ),
    "embedding": lambda: (nn.Embedding(100, 8), torch.tensor([[1, 2, 3], [4, 5, 6]])),
    "bag_of_words": lambda: (nn.EmbeddingBag(50, 4), torch.tensor([[1, 2], [3, 4]])),
    "lstm_cell": lambda: (nn.LSTMCell(4, 6), rand(3, 4)),
    "gru_without_batch": lambda: (nn.GRU(4, 6), rand(7, 4)),
    "parametrized": lambda: (Sequential(parametrizations.weight_norm(Linear(4, 3))), rand(2, 4)),
    "spectral_norm": lambda: (Sequential(parametrizations.spectral_norm(Linear(4, 3))), rand(2, 4)),
    "lazy": lambda: (
        Sequential(nn.LazyConv2d(4, 3), nn.Flatten(), nn.LazyLinear(5)),
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
