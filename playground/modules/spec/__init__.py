"""A network as plain frozen data; importing this package loads no torch."""

from playground.errors import InvalidSpecError
from playground.modules.spec.network import InputKind, InputSpec, Network
from playground.modules.spec.nodes import Block, BlockKind, Layer, Node, Shared
from playground.modules.spec.values import Value

__all__ = [
    "Block",
    "BlockKind",
    "InputKind",
    "InputSpec",
    "InvalidSpecError",
    "Layer",
    "Network",
    "Node",
    "Shared",
    "Value",
]
