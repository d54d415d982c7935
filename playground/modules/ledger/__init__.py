"""The ledger: every tensor that a module, its loss and its optimizer lead to, and where it is.

``ledger(net)`` changes nothing in the module, follows no way twice in a circle, and ends on any
graph of objects. It does not look at gradients (they go with their parameters), behind weak
references, or at what ``forward`` makes anew in each call.
"""

import torch
from torch import nn

from playground.modules.ledger.places import Owner
from playground.modules.ledger.walk import Walk
from playground.modules.rows import Kind, Ledger, MovedRow, Reason, Row

__all__ = ["Kind", "Ledger", "MovedRow", "Reason", "Row", "ledger"]


def ledger(
    module: nn.Module,
    *,
    loss: nn.Module | None = None,
    optimizer: torch.optim.Optimizer | None = None,
) -> Ledger:
    """List every tensor that a module leads to: registered, hidden, or forgotten.

    Works on real devices, and inside ``simulated_gpus`` on simulated ones.

    Args:
        module: Any module; it is not changed, and neither are the two others.
        loss: A loss that is trained with; its paths begin with ``loss.``.
        optimizer: The optimizer; the paths of its state begin with ``optimizer.``.

    Returns:
        One row for each tensor, with all paths that lead to it.

    Raises:
        TypeError: ``module`` or ``loss`` is no module.

    >>> net = nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))
    >>> [row.path for row in ledger(net).rows]  # doctest: +NORMALIZE_WHITESPACE
    ['0.weight', '0.bias', '1.weight', '1.bias', '1.running_mean', '1.running_var',
     '1.num_batches_tracked']
    """
    for given in (module, loss):
        if given is not None and not isinstance(given, nn.Module):
            raise TypeError(f"a ledger is made of an nn.Module, not of {type(given).__name__}")
    walk = Walk()
    walk.go_through(module, Owner.MODULE, "")
    if loss is not None:
        walk.go_through(loss, Owner.LOSS, "loss")
    if optimizer is not None:
        walk.go_through_optimizer(optimizer)
    return Ledger(tuple(found.row() for found in walk.found.values()))
