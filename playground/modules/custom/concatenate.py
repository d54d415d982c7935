"""A block of branches side by side."""

import torch
from torch import Tensor, nn


class Concatenate(nn.Sequential):
    """Each of its modules is given the input; what comes out is joined along dim 1."""

    def forward(self, X: Tensor) -> Tensor:
        """The branches must agree in every size but that of dim 1."""
        return torch.cat([branch(X) for branch in self], dim=1)
