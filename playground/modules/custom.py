"""The modules that the lessons and the builder define themselves; loads torch.

Programs show these classes: ``custom_source`` reads them from this file.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class MLP(nn.Module):
    """A multilayer perceptron with one hidden layer."""

    def __init__(
        self, in_features: int = 20, hidden_features: int = 256, out_features: int = 10
    ) -> None:
        super().__init__()
        self.hidden = nn.Linear(in_features, hidden_features)
        self.out = nn.Linear(hidden_features, out_features)

    def forward(self, X: Tensor) -> Tensor:
        """From (batch, in_features) to (batch, out_features)."""
        H = F.relu(self.hidden(X))
        return self.out(H)


class NestMLP(nn.Module):
    """A Sequential and a layer, from 20 features to 16."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(20, 64),
            nn.ReLU(),
            nn.Linear(64, 32),
            nn.ReLU(),
        )
        self.linear = nn.Linear(32, 16)

    def forward(self, X: Tensor) -> Tensor:
        """From (batch, 20) to (batch, 16)."""
        return self.linear(self.net(X))


class FixedHiddenMLP(nn.Module):
    """Has weights that are never trained, one layer in two places, and a loop."""

    def __init__(self, features: int = 20) -> None:
        super().__init__()
        self.rand_weight = torch.rand(features, features)
        self.linear = nn.Linear(features, features)

    def forward(self, X: Tensor) -> Tensor:
        """From (batch, features) to one number; an infinite sum stays as it is."""
        X = self.linear(X)
        X = F.relu(X @ self.rand_weight + 1)
        X = self.linear(X)
        while 1 < X.abs().sum() < torch.inf:
            X = X / 2
        return X.sum()


class CenteredLayer(nn.Module):
    """Subtracts the mean of all elements."""

    def forward(self, X: Tensor) -> Tensor:
        """The same shape, with mean 0."""
        return X - X.mean()


class MyLinear(nn.Module):
    """A fully connected layer with a ReLU; its weight is (in, out)."""

    def __init__(self, in_units: int, units: int) -> None:
        super().__init__()
        weight = torch.randn(in_units, units)
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(torch.randn(units))

    def forward(self, X: Tensor) -> Tensor:
        """From (batch, in_units) to (batch, units)."""
        return F.relu(X @ self.weight + self.bias)


class MyLinearWithData(nn.Module):
    """A fully connected layer with a ReLU that never learns."""

    def __init__(self, in_units: int, units: int) -> None:
        super().__init__()
        weight = torch.randn(in_units, units)
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(torch.randn(units))

    def forward(self, X: Tensor) -> Tensor:
        """From (batch, in_units) to (batch, units), and no way back."""
        return F.relu(X @ self.weight.data + self.bias.data)


class Item(nn.Module):
    """Hands on one item of a tuple, such as the output of an LSTM; two indices go deeper."""

    def __init__(self, index: int | tuple[int, ...] = 0) -> None:
        super().__init__()
        self.index = index

    def forward(self, outputs: Any) -> Any:
        """The item as it is."""
        if isinstance(self.index, int):
            return outputs[self.index]
        for index in self.index:
            outputs = outputs[index]
        return outputs


class Permute(nn.Module):
    """Puts the dimensions of a tensor in another order; the batch is dimension 0."""

    def __init__(self, dims: tuple[int, ...]) -> None:
        super().__init__()
        self.dims = dims

    def forward(self, X: Tensor) -> Tensor:
        """The same elements; no memory is copied."""
        return X.permute(self.dims)


class Reshape(nn.Module):
    """Gives a tensor another shape; -1 stands for the size that follows from the others."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.shape = shape

    def forward(self, X: Tensor) -> Tensor:
        """The same elements in the same order."""
        return X.reshape(self.shape)


class PositionalEmbedding(nn.Module):
    """Adds a learned vector for each position."""

    def __init__(self, num_positions: int, features: int) -> None:
        super().__init__()
        weight = 0.02 * torch.randn(num_positions, features)
        self.weight = nn.Parameter(weight)

    def forward(self, X: Tensor) -> Tensor:
        """The same shape; there are at most num_positions positions."""
        return X + self.weight[: X.shape[1]]


class CausalSelfAttention(nn.Module):
    """Attention in which a position sees itself and the ones before it."""

    def __init__(self, embed_dim: int, num_heads: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(
            embed_dim,
            num_heads,
            batch_first=True,
        )

    def forward(self, X: Tensor) -> Tensor:
        """The same shape: (batch, positions, embed_dim)."""
        length = X.shape[1]
        mask = torch.ones(length, length, device=X.device)
        mask = mask.triu(diagonal=1).bool()
        Y, _ = self.attention(X, X, X, attn_mask=mask)
        return Y


class Residual(nn.Sequential):
    """Its modules one after the other, and the input added to what comes out."""

    def forward(self, X: Tensor) -> Tensor:
        """The same shape: the modules must keep it."""
        return X + super().forward(X)


class Add(nn.Sequential):
    """Each of its modules is given the input; what comes out is added."""

    def forward(self, X: Tensor) -> Tensor:
        """The branches must agree in shape, or broadcast."""
        first, *others = [branch(X) for branch in self]
        return sum(others, first)


class Multiply(nn.Sequential):
    """Each of its modules is given the input; what comes out is multiplied."""

    def forward(self, X: Tensor) -> Tensor:
        """The branches must agree in shape, or broadcast."""
        return math.prod(branch(X) for branch in self)


class Concatenate(nn.Sequential):
    """Each of its modules is given the input; what comes out is joined along dim 1."""

    def forward(self, X: Tensor) -> Tensor:
        """The branches must agree in every size but that of dim 1."""
        outputs = [branch(X) for branch in self]
        return torch.cat(outputs, dim=1)
