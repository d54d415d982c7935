"""Layers that change no value: an item of a tuple, another order or number of dimensions."""

from typing import Any

from torch import Tensor, nn


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
