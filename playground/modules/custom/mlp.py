"""A block of one's own: two layers, and how they are joined."""

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
