"""The same with a mistake: a Python list keeps its modules to itself."""

from torch import Tensor, nn


class MySequentialWithList(nn.Module):
    """Applies its modules one after the other, and registers none of them."""

    def __init__(self, *modules: nn.Module) -> None:
        super().__init__()
        self.layers = list(modules)  # torch does not look into a Python list

    def forward(self, X: Tensor) -> Tensor:
        """Through every module, in the order in which they were given."""
        for module in self.layers:
            X = module(X)
        return X
