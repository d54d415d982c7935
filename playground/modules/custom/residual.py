"""A block that adds its input to what its layers make of it."""

from torch import Tensor, nn


class Residual(nn.Sequential):
    """Its modules one after the other, and the input added to what comes out."""

    def forward(self, X: Tensor) -> Tensor:
        """The same shape: the modules must keep it."""
        return X + super().forward(X)
