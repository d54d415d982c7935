"""Networks as plain frozen data: layers, blocks, inputs, edits, links. Free of torch."""

from playground.errors import InvalidSpecError
from playground.modules.spec.network import InputKind, InputSpec, Network
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.parts import BlockKind, Shared, Value
from playground.modules.spec.wires import Wire

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
    "Wire",
]
