"""A layer that goes on with the first of several outputs."""

from torch import Tensor, nn


class FirstOutput(nn.Module):
    """Hands on the first of several outputs, as recurrent layers have them."""

    def forward(self, outputs: tuple[Tensor, ...]) -> Tensor:
        """The first item as it is."""
        return outputs[0]
