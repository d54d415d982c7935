"""Edits of a network, each returning a new one; shared nodes stay shared.

A node is found by its address, the numbers of the children on the way from the root: ``(2, 0)`` is
the first child of the third. A layer that is used again is written down by its path, and paths
change with every edit; so an edit takes the network apart into slots that hold the same content,
and writes the paths again. The first slot then holds the layer, the others share it.
"""

from collections.abc import Callable, Iterable, Mapping
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
from playground.modules.spec.edit_tree import Content, Slot, assemble, fresh_copy, take_apart, wired
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.parts import BlockKind, Given
from playground.modules.spec.wires import BEFORE, Wire, wires_of


def insert(root: Block, address: Address, node: Node) -> Block:
    """Put a node in, so that it has this address; what stood there comes after it."""

    def change(parent: Content, index: int, top: Content) -> None:
        slot = take_apart(node, top)
        slot.inputs = wired(parent, index, node.inputs)
        parent.slots.insert(index, slot)

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
        copied.inputs = [
            (BEFORE, items) if source is slot else (source, items)
            for source, items in copied.inputs
        ]
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


def set_kind(root: Block, address: Address, kind: BlockKind, dim: int = 1) -> Block:
    """Make another kind of block of a block; ``dim`` is that of a concatenation."""

    def change(content: Content) -> None:
        if content.layer is not None:
            raise IndexError(address)
        content.kind, content.dim = kind, dim

    return _with_content(root, address, change)


def rename(root: Block, address: Address, name: str | None) -> Block:
    """Give a node a name, or with None its number."""
    return _with_place(root, address, name=name)


def repeat(root: Block, address: Address, times: int) -> Block:
    """Have a node stand so many times in a row, each copy with parameters of its own."""
    return _with_place(root, address, times=times)


def set_inputs(root: Block, address: Address, wires: Iterable[Wire | str]) -> Block:
    """Give a node other wires.

    Raises:
        InvalidSpecError: One is no wire, or leads nowhere.
    """
    found = wires_of(wires, type="")

    def change(parent: Content, index: int, top: Content) -> None:
        del top
        parent.slots[index].inputs = wired(parent, index, found)

    return _changed(root, address, change)


def wrap(root: Block, address: Address, kind: BlockKind = BlockKind.SEQUENTIAL) -> Block:
    """Put a node into a block of its own."""

    def change(parent: Content, index: int, top: Content) -> None:
        del top
        slot = parent.slots[index]
        around = Slot(Content(kind=kind, slots=[slot]), name=slot.name, inputs=slot.inputs)
        slot.name = None
        slot.inputs = [(f"#{number}", ()) for number in range(1, len(slot.inputs) + 1)]
        parent.slots[index] = around
        _reconnect(parent, slot, around)

    return _changed(root, address, change)


def unwrap(root: Block, address: Address) -> Block:
    """Put the children of a block in its slot."""

    def change(parent: Content, index: int, top: Content) -> None:
        del top
        gone, block = parent.slots[index], parent.slots[index].content
        if block.layer is not None:
            raise IndexError(address)
        for slot in block.slots:
            slot.inputs = [_outside(gone, *wire) for wire in slot.inputs]
        if block.slots:
            _reconnect(parent, gone, block.slots[-1])
        parent.slots[index : index + 1] = block.slots
        # Where the block is shared, it goes on there, with slots of its own.
        block.slots = [replace(slot) for slot in block.slots]

    return _changed(root, address, change)


def group(root: Block, address: Address, count: int, kind: BlockKind) -> Block:
    """Put nodes that stand in a row into a block of their own.

    Args:
        root: The whole network.
        address: Of the first of them.
        count: How many.
        kind: Of the block.
    """

    def change(parent: Content, index: int, top: Content) -> None:
        del top
        if parent.kind.is_join or not 1 <= count <= len(parent.slots) - index:
            raise IndexError(address)
        inside = parent.slots[index : index + count]
        around = Slot(Content(kind=kind, slots=inside))
        for slot in parent.slots[index + count :]:
            slot.inputs = [
                (around if source in inside else source, items) for source, items in slot.inputs
            ]
        outer: list[Slot | str] = []  # what comes from outside becomes an input of the block
        for slot in inside:
            sources = [source for source, _ in slot.inputs if source != BEFORE]
            outer += [each for each in sources if each not in (*inside, *outer)]
        numbers = {source: f"#{number}" for number, source in enumerate(outer, start=2)}
        around.inputs = [(BEFORE, ()), *((source, ()) for source in outer)] if outer else []
        for slot in inside:
            slot.inputs = [(numbers.get(source, source), items) for source, items in slot.inputs]
        parent.slots[index : index + count] = [around]

    return _changed(root, address, change)


def _reconnect(content: Content, gone: Slot, new: Slot) -> None:
    """Lead the wires from one slot to another."""
    for slot in content.slots:
        slot.inputs = [(new if source is gone else source, items) for source, items in slot.inputs]


def _outside(
    gone: Slot, source: Slot | str, items: tuple[int, ...]
) -> tuple[Slot | str, tuple[int, ...]]:
    """Return what a wire inside a block means where the block is gone."""
    if isinstance(source, Slot) or not source.startswith("#"):
        return source, items
    number = int(source[1:])
    if number > len(gone.inputs):
        return BEFORE, items
    outer, first = gone.inputs[number - 1]
    return outer, (*first, *items)


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
    "group",
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
    "set_inputs",
    "set_kind",
    "share",
    "step",
    "unwrap",
    "walk",
    "wrap",
]
