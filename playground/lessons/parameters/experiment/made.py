"""A network as every program of this lesson begins: built, and called once."""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from playground.compute.outcome import Outcome, attempt
from playground.errors import InvalidSettingError
from playground.lessons.parameters.records.views import MOST_COLUMNS, MOST_ROWS, View
from playground.modules.build import build, draw_inputs
from playground.modules.spec import Network


@dataclass
class Made:
    """A network, a batch for it, and what came of the first call.

    Attributes:
        Y: What came out; None where the network refused.
    """

    net: nn.Module
    X: tuple[Tensor, ...]
    Y: Any = None
    outcome: Outcome = field(default_factory=lambda: Outcome(ok=True))

    def call(self) -> Any:
        """Call the network with the batch, once more."""
        return self.net(*self.X)


def make(network: Network, seed: int) -> Made:
    """Build a network and call it, as the program does; lazy layers then have their shapes."""
    net = build(network, seed)
    made = Made(net, draw_inputs(network.input))
    made.Y, made.outcome = attempt(made.call)
    return made


def named(net: nn.Module) -> dict[str, nn.Parameter]:
    """All parameters by name, tied ones under every name."""
    return dict(net.named_parameters(remove_duplicate=False))


def parameter(net: nn.Module, path: str) -> nn.Parameter:
    """The parameter of a name.

    Raises:
        InvalidSettingError: There is none.
    """
    found = named(net).get(path)
    if found is None:
        raise InvalidSettingError("no_such_name", field="path", given=path)
    return found


def has_shape(tensor: Tensor) -> bool:
    """Whether it is more than a promise."""
    return not is_lazy(tensor)


def shape_of(tensor: Tensor) -> tuple[int, ...] | None:
    """Its shape; None for one that a lazy layer has still to find."""
    return tuple(tensor.shape) if has_shape(tensor) else None


def view_of(tensor: Tensor | None) -> View | None:
    """The part of a tensor that a report keeps; None where there is nothing to keep."""
    if tensor is None or not has_shape(tensor):
        return None
    values = tensor.detach()
    if values.is_complex():
        values = values.abs()
    rows = values.reshape(1, -1) if values.dim() < 2 else values.flatten(1)
    shown = rows[:MOST_ROWS, : MOST_COLUMNS * 2 if values.dim() < 2 else MOST_COLUMNS]
    least, most = (values.min().item(), values.max().item()) if values.numel() else (0.0, 0.0)
    return View(
        grid=tuple(map(tuple, shown.double().tolist())),
        shape=tuple(tensor.shape),
        least=float(least),
        most=float(most),
    )


def same(left: Tensor | None, right: Tensor | None) -> bool:
    """Whether two gradients agree, both absent included."""
    if left is None or right is None:
        return left is right
    return torch.equal(left, right)
