"""Edits of a network, each returning a new one; shared nodes stay shared.

A node is found by its address, the numbers of the children on the way from the root: ``(2, 0)`` is
the first child of the third. A layer that is used again is written down by its path, and paths
change with every edit; so an edit takes the network apart into slots that hold the same content,
and writes the paths again. The first slot then holds the layer, the others share it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from playground.modules.spec.addresses import (
    ROOT,
    Address,
    has,
    landing,
    node_at,
    path_at,
    step,
    walk,
)
from playground.modules.spec.edit_tree import Content, Slot, assemble, fresh_copy, take_apart
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.parts import BlockKind, Given


def insert(root: Block, address: Address, node: Node) -> Block:
    """Put a node in, so that it has this address; what stood there comes after it."""

    def change(parent: Content, index: int, top: Content) -> None:
        parent.slots.insert(index, take_apart(node, top))

    return _changed(root, address, change, is_new=True)


def remove(root: Block, address: Address) -> Block:
    """Take a node out; where others share it, the first of them holds it from now on."""

    def change(parent: Content, index: int, top: Content) -> None:
        del top, parent.slots[index]

    return _changed(root, address, change)


def duplicate(root: Block, address: Address) -> Block:
    """Put a copy behind a node, with parameters of its own; a shared one is shared once more."""

    def change(parent: Content, index: int, top: Content) -> None:
        del top
        slot = parent.slots[index]
        copied = fresh_copy(slot) if slot.is_holder else slot.again()
        copied.name = _free_name(slot.name, parent)
        parent.slots.insert(index + 1, copied)

    return _changed(root, address, change)


def share(root: Block, address: Address, target: Address) -> Block:
    """Use the module at an address once more: put it in at a target, sharing its parameters."""

    def change(parent: Content, index: int, top: Content) -> None:
        slot = _descend(top, address).again()
        slot.name = None
        parent.slots.insert(index, slot)

    return _changed(root, target, change, is_new=True)


def move(root: Block, address: Address, target: Address) -> Block:
    """Take a node out and put it in so that it has the target's address afterwards."""
    top = take_apart(root).content
    parent, index = _parent(top, address)
    slot = parent.slots.pop(index)
    parent, index = _parent(top, target, is_new=True)
    parent.slots.insert(index, slot)
    return assemble(top, root)


def arrange(root: Block, address: Address, target: Address) -> Block:
    """Take a node to where another stands now, before it or, at the end of a block, last.

    Raises:
        IndexError: The target lies inside the node itself.
    """
    return move(root, address, landing(address, target))


def set_arguments(root: Block, address: Address, arguments: Mapping[str, Given]) -> Block:
    """Give a layer other arguments; wherever it is shared it has them too."""

    def change(content: Content) -> None:
        if content.layer is None:
            raise IndexError(address)
        content.layer = Layer(content.layer.type, arguments)

    return _with_content(root, address, change)


def set_kind(root: Block, address: Address, kind: BlockKind) -> Block:
    """Make another kind of block of a block."""

    def change(content: Content) -> None:
        if content.layer is not None:
            raise IndexError(address)
        content.kind = kind

    return _with_content(root, address, change)


def rename(root: Block, address: Address, name: str | None) -> Block:
    """Give a node a name, or with None its number."""
    return _with_place(root, address, name=name)


def repeat(root: Block, address: Address, times: int) -> Block:
    """Have a node stand so many times in a row, each copy with parameters of its own."""
    return _with_place(root, address, times=times)


def wrap(root: Block, address: Address, kind: BlockKind = BlockKind.SEQUENTIAL) -> Block:
    """Put a node into a block of its own."""

    def change(parent: Content, index: int, top: Content) -> None:
        del top
        slot = parent.slots[index]
        parent.slots[index] = Slot(Content(kind=kind, slots=[slot]), name=slot.name)
        slot.name = None

    return _changed(root, address, change)


def unwrap(root: Block, address: Address) -> Block:
    """Put the children of a block in its slot."""

    def change(parent: Content, index: int, top: Content) -> None:
        del top
        block = parent.slots[index].content
        if block.layer is not None:
            raise IndexError(address)
        parent.slots[index : index + 1] = block.slots
        # Where the block is shared, it goes on there, with slots of its own.
        block.slots = [replace(slot) for slot in block.slots]

    return _changed(root, address, change)


# -- how an edit is made -----------------------------------------------------------------------


def _changed(
    root: Block,
    address: Address,
    change: Callable[[Content, int, Content], None],
    *,
    is_new: bool = False,
) -> Block:
    top = take_apart(root).content
    parent, index = _parent(top, address, is_new=is_new)
    change(parent, index, top)
    return assemble(top, root)


def _with_content(root: Block, address: Address, change: Callable[[Content], None]) -> Block:
    top = take_apart(root).content
    change(_descend(top, address).content if address else top)
    return assemble(top, root)


def _with_place(root: Block, address: Address, **values: object) -> Block:
    def change(parent: Content, index: int, top: Content) -> None:
        del top
        for field, value in values.items():
            setattr(parent.slots[index], field, value)

    return _changed(root, address, change)


def _parent(top: Content, address: Address, *, is_new: bool = False) -> tuple[Content, int]:
    """Return the block that holds an address, and the index in it, which may be the end."""
    if not address:
        raise IndexError(address)
    parent = _descend(top, address[:-1]).content if len(address) > 1 else top
    if parent.layer is not None or not 0 <= address[-1] < len(parent.slots) + is_new:
        raise IndexError(address)
    return parent, address[-1]


def _descend(top: Content, address: Address) -> Slot:
    content = top
    slot = None
    for index in address:
        is_open = slot is None or slot.is_holder  # what is only shared here has no children here
        if content.layer is not None or not is_open or not 0 <= index < len(content.slots):
            raise IndexError(address)
        slot = content.slots[index]
        content = slot.content
    if slot is None:
        raise IndexError(address)
    return slot


def _free_name(name: str | None, parent: Content) -> str | None:
    """Return the next free name for the copy of a node; None where it has a number."""
    if name is None or name.isdigit():
        return None
    stem = name.rstrip("0123456789")
    taken = {slot.name for slot in parent.slots}
    number = int(name[len(stem) :] or 1) + 1
    while f"{stem}{number}" in taken:
        number += 1
    return f"{stem}{number}"


__all__ = [
    "ROOT",
    "Address",
    "arrange",
    "duplicate",
    "has",
    "insert",
    "landing",
    "move",
    "node_at",
    "path_at",
    "remove",
    "rename",
    "repeat",
    "set_arguments",
    "set_kind",
    "share",
    "step",
    "unwrap",
    "walk",
    "wrap",
]
