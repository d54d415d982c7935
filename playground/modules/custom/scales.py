"""One factor per feature, held in five ways; the classes differ in one line each."""

import torch
from torch import Tensor, nn


class ScaleAttribute(nn.Module):
    """The factors are an attribute like any other."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.scale = torch.ones(features)

    def forward(self, X: Tensor) -> Tensor:
        """The same shape, each feature times its factor."""
        return X * self.scale


class ScaleTracked(nn.Module):
    """The factors are an attribute that autograd follows."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.scale = torch.ones(features, requires_grad=True)

    def forward(self, X: Tensor) -> Tensor:
        """The same shape, each feature times its factor."""
        return X * self.scale


class ScaleParameter(nn.Module):
    """The factors are a Parameter: assigning it registers it."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(features))

    def forward(self, X: Tensor) -> Tensor:
        """The same shape, each feature times its factor."""
        return X * self.scale


class ScaleBuffer(nn.Module):
    """The factors are a buffer: saved and moved, never trained."""

    scale: Tensor

    def __init__(self, features: int) -> None:
        super().__init__()
        self.register_buffer("scale", torch.ones(features))

    def forward(self, X: Tensor) -> Tensor:
        """The same shape, each feature times its factor."""
        return X * self.scale


class ScaleUnsavedBuffer(nn.Module):
    """The factors are a buffer that can be made again at any time: moved, not saved."""

    scale: Tensor

    def __init__(self, features: int) -> None:
        super().__init__()
        self.register_buffer("scale", torch.ones(features), persistent=False)

    def forward(self, X: Tensor) -> Tensor:
        """The same shape, each feature times its factor."""
        return X * self.scale
