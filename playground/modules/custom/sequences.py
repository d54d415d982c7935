"""Layers for sequences of vectors, (batch, positions, features)."""

import torch
from torch import Tensor, nn


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
