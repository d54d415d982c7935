"""A block whose children are given more than what comes before them."""

import math
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from playground.modules.spec.nodes import Block
from playground.modules.spec.parts import BlockKind
from playground.modules.spec.wires import BEFORE, Wire

if TYPE_CHECKING:
    from collections import OrderedDict


class Wired(nn.Sequential):
    """Calls its modules along wires, as the forward of the program's class does.

    Args:
        modules: By name.
        block: The block that they are made of.
    """

    def __init__(self, modules: "OrderedDict[str, nn.Module]", block: Block) -> None:
        super().__init__(modules)
        self.kind, self.dim = block.kind, block.dim
        self.routes = tuple(
            (name, child.inputs or (Wire(),))
            for child, names in zip(block.children, block.names(), strict=True)
            for name in names
        )

    def forward(self, *inputs: Any) -> Any:
        """Return what the last module returns, or the joined outputs of all."""
        known: dict[str, Any] = {f"#{number}": each for number, each in enumerate(inputs, start=1)}
        known[BEFORE] = inputs[0]
        outputs = []
        for name, wires in self.routes:
            output = self._modules[name](*[_value(wire, known) for wire in wires])
            outputs.append(output)
            if not self.kind.is_join:
                known[name] = known[BEFORE] = output
        if self.kind is BlockKind.SEQUENTIAL:
            return known[BEFORE]
        if self.kind is BlockKind.RESIDUAL:
            return inputs[0] + known[BEFORE]
        return joined(self.kind, outputs if self.routes else list(inputs), self.dim)


def joined(kind: BlockKind, tensors: list[Any], dim: int) -> Any:
    """Join tensors in the way of a block."""
    if kind is BlockKind.TUPLE:
        return tuple(tensors)
    if kind is BlockKind.CONCATENATE:
        return torch.cat(tensors, dim=dim)
    return (
        sum(tensors[1:], tensors[0])
        if kind is BlockKind.ADD
        else math.prod(tensors[1:], start=tensors[0])
    )


def _value(wire: Wire, known: dict[str, Any]) -> Any:
    value = known[wire.source]
    for item in wire.items:
        value = value[item]
    return value
