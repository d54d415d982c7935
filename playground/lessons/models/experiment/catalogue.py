"""The catalogue: modules that move as a whole, modules that do not, and these mended.

A student reads these classes: ``source`` cuts them from the text of this file. Each takes a batch
of shape (2, 4).
"""
# Written as a student would write it, without type annotations:
# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: D102, N803

from typing import Any

import torch
from torch import nn


class LayersInList(nn.Module):
    """The layers stand in a list of Python, where nn.Module does not look."""

    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 8), nn.Linear(8, 3)]

    def forward(self, X):
        for layer in self.layers:
            X = torch.tanh(layer(X))
        return X


class LayersInModuleList(nn.Module):
    """The layers stand in a list that registers them."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 8), nn.Linear(8, 3)])

    def forward(self, X):
        for layer in self.layers:
            X = torch.tanh(layer(X))
        return X


class LayersInDict(nn.Module):
    """The layers have names in a dictionary of Python."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.heads = {"digit": nn.Linear(8, 3), "sign": nn.Linear(8, 2)}

    def forward(self, X):
        return self.heads["digit"](torch.relu(self.body(X)))


class LayersInModuleDict(nn.Module):
    """The layers have names in a dictionary that registers them."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.heads = nn.ModuleDict({"digit": nn.Linear(8, 3), "sign": nn.Linear(8, 2)})

    def forward(self, X):
        return self.heads["digit"](torch.relu(self.body(X)))


class ParametersInList(nn.Module):
    """Each is an nn.Parameter, and yet the module knows none of them."""

    def __init__(self):
        super().__init__()
        self.weights = [nn.Parameter(torch.ones(4, 8)), nn.Parameter(torch.ones(8, 3))]

    def forward(self, X):
        for weight in self.weights:
            X = X @ weight
        return X


class ParametersInParameterList(nn.Module):
    """The list registers each of them."""

    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList([torch.ones(4, 8), torch.ones(8, 3)])

    def forward(self, X):
        for weight in self.weights:
            X = X @ weight
        return X


class ConstantAttribute(nn.Module):
    """The constant weight is a tensor like any other attribute."""

    def __init__(self):
        super().__init__()
        self.rand_weight = torch.rand(4, 4)
        self.linear = nn.Linear(4, 3)

    def forward(self, X):
        return self.linear(torch.relu(X @ self.rand_weight + 1))


class ConstantBuffer(nn.Module):
    """The constant weight is a buffer: it moves and is saved, and is never trained."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rand_weight", torch.rand(4, 4))
        self.linear = nn.Linear(4, 3)

    def forward(self, X):
        return self.linear(torch.relu(X @ self.rand_weight + 1))


class NestedTables(nn.Module):
    """Two tensors lie deep inside a dictionary of tuples."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.scales = {"in": (torch.full((4,), 0.5), "mean"), "out": [torch.ones(3)]}

    def forward(self, X):
        scale, _ = self.scales["in"]
        return self.linear(X * scale) * self.scales["out"][0]


class NestedBuffers(nn.Module):
    """Each of them is a buffer with a name of its own."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.register_buffer("scale_in", torch.full((4,), 0.5))
        self.register_buffer("scale_out", torch.ones(3))

    def forward(self, X):
        return self.linear(X * self.scale_in) * self.scale_out


class KeptResult(nn.Module):
    """The product of a parameter and a number is no parameter, and it is computed only once."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 3))
        self.scaled = self.weight * 0.5

    def forward(self, X):
        return X @ self.scaled


class ResultInForward(nn.Module):
    """The product is made anew from the parameter in every call."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 3))

    def forward(self, X):
        return X @ (self.weight * 0.5)


class OwnLazyLinear(nn.Module):
    """A lazy layer by hand: its weight is made with the first batch, after the move."""

    def __init__(self):
        super().__init__()
        self.weight = None

    def forward(self, X):
        if self.weight is None:
            self.weight = nn.Parameter(torch.ones(X.shape[1], 3))
        return X @ self.weight


class OwnLazyLinearBesideBatch(nn.Module):
    """The weight is made where the first batch is; nn.LazyLinear does even better."""

    def __init__(self):
        super().__init__()
        self.weight = None

    def forward(self, X):
        if self.weight is None:
            self.weight = nn.Parameter(torch.ones(X.shape[1], 3, device=X.device))
        return X @ self.weight


class NoiseFromCPU(nn.Module):
    """What forward makes without a device is made on the CPU, in every call."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, X):
        noise = torch.zeros(X.shape)
        return self.linear(X + noise)


class NoiseBesideBatch(nn.Module):
    """What forward makes is made where the batch is."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, X):
        noise = torch.zeros_like(X)
        return self.linear(X + noise)


class MLP(nn.Module):
    """Every layer is an attribute, so every layer is registered."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 8)
        self.out = nn.Linear(8, 3)

    def forward(self, X):
        return self.out(torch.relu(self.hidden(X)))


class NormalizedMLP(nn.Module):
    """Batch normalization keeps its running statistics in buffers."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 8)
        self.norm = nn.BatchNorm1d(8)
        self.out = nn.Linear(8, 3)

    def forward(self, X):
        return self.out(torch.relu(self.norm(self.hidden(X))))


class MaskedLinear(nn.Module):
    """The mask can be made again at any time, so it moves and is not saved."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.register_buffer("mask", torch.tensor([1.0, 0.0, 1.0, 1.0]), persistent=False)

    def forward(self, X):
        return self.linear(X * self.mask)


class TiedAutoencoder(nn.Module):
    """Two layers share one weight, and a list of Python knows one of them too."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 4)
        self.decoder = nn.Linear(4, 4)
        self.decoder.weight = self.encoder.weight
        self.to_watch = [self.encoder]

    def forward(self, X):
        return self.decoder(torch.relu(self.encoder(X)))


class LastOfLSTM(nn.Module):
    """An LSTM holds its parameters under names, and once more in a list of its own."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3)

    def forward(self, X):
        Y, _ = self.lstm(X)
        return Y


class LazyMLP(nn.Module):
    """The layers of PyTorch that find their shapes later know their device already."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.LazyLinear(8)
        self.out = nn.LazyLinear(3)

    def forward(self, X):
        return self.out(torch.relu(self.hidden(X)))


def build(class_name: str) -> nn.Module:
    """Make a module of the catalogue.

    Raises:
        KeyError: The catalogue has no such class.
    """
    found: Any = globals()[class_name]
    module: nn.Module = found()
    return module
