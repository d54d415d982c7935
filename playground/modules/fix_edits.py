"""Edits of a network that keep what is around them working. Free of torch."""

from dataclasses import replace

from playground.modules.spec import edit
from playground.modules.spec.addresses import Address
from playground.modules.spec.nodes import Block, Node
from playground.modules.spec.parts import BlockKind
from playground.modules.spec.wires import BEFORE


def put_before(root: Block, place: Address, node: Node) -> tuple[Block, Address]:
    """Put a node on the way of the first input of the node at an address, or at a block's end.

    A branch becomes a block of both.

    Returns:
        The changed block, and the address of the new node.
    """
    parent = edit.node_at(root, place[:-1])
    if isinstance(parent, Block) and parent.kind.is_join and edit.has(root, place):
        root = edit.wrap(root, place)
        return edit.insert(root, (*place, 0), node), (*place, 0)
    if not edit.has(root, place) or node.inputs:
        return edit.insert(root, place, node), place
    wires = edit.node_at(root, place).inputs
    if not wires or all(wire.source == BEFORE and not wire.items for wire in wires):
        return edit.insert(root, place, node), place
    first = wires[0]
    root = edit.insert(root, place, replace(node, inputs=() if str(first) == BEFORE else (first,)))
    below = (*place[:-1], place[-1] + 1)
    kept = edit.node_at(root, below).inputs
    same = [BEFORE if wire == kept[0] else wire for wire in kept]
    return edit.set_inputs(root, below, same), place


def with_shortcut(root: Block, place: Address, shortcut: Node) -> Block:
    """Make a residual block one of two branches that are added: its layers, and a shortcut."""
    block = edit.node_at(root, place)
    if not isinstance(block, Block):
        raise IndexError(place)
    root = edit.wrap(root, place, BlockKind.ADD)
    root = edit.set_kind(root, (*place, 0), BlockKind.SEQUENTIAL)
    root = edit.rename(root, (*place, 0), "body")
    return edit.insert(root, (*place, 1), replace(shortcut, name="shortcut"))
