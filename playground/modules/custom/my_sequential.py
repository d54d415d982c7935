"""nn.Sequential, written out."""

from torch import Tensor, nn


class MySequential(nn.Module):
    """Applies its modules one after the other."""

    def __init__(self, *modules: nn.Module) -> None:
        super().__init__()
        for number, module in enumerate(modules):
            self.add_module(str(number), module)

    def forward(self, X: Tensor) -> Tensor:
        """Through every module, in the order in which they were given."""
        for module in self.children():
            X = module(X)
        return X
