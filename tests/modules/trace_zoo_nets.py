"""Networks with a forward of their own, as papers and students write them."""

import torch
import torch.nn.functional as F
from torch import nn, rand
from torch.nn import Conv2d, Linear, ReLU, Sequential
from torch.nn.utils import rnn

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


def residual_block():
    return Residual(4, 4), rand(2, 4, 6, 6)


def resnet():
    stages = Residual(8, 8), Residual(8, 16, 2), Residual(16, 16), Residual(16, 32, 2)
    head = nn.AdaptiveAvgPool2d(1), nn.Flatten(), Linear(32, 10)
    return Sequential(Conv2d(3, 8, 3, padding=1), *stages, *head), rand(2, 3, 16, 16)


def unet():
    def forward(self, x):
        first = F.relu(self.down1(x))
        second = F.relu(self.down2(F.max_pool2d(first, 2)))
        return self.out(torch.cat([first, self.up(second)], dim=1))

    down = {"down1": Conv2d(1, 4, 3, padding=1), "down2": Conv2d(4, 8, 3, padding=1)}
    up = {"up": nn.Upsample(scale_factor=2), "out": Conv2d(12, 1, 3, padding=1)}
    return Calls(forward, **down, **up), rand(2, 1, 8, 8)


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
    shift = nn.Parameter(torch.zeros(3))
    net = Calls(lambda self, x: self.scale(self.layer(x)) + self.shift, layer=Linear(3, 3))
    net.scale, net.shift = scale, shift
    return net, rand(2, 3)


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


NETS = (
    *(residual_block, resnet, unet, gan, one_layer_five_times, a_parameter_beside_layers),
    *(tied_language_model, parameters_in_lists, vision_transformer, packed_sequences),
    a_layer_that_is_never_called,
)
