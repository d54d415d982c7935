"""Addresses of nodes in a network, their paths in torch, and moves between addresses.

An address is the numbers of the children on the way from the root: ``(2, 0)`` is the first child of
the third.
"""

from collections.abc import Iterator
from typing import TypeAlias

from playground.modules.spec.nodes import Block, Node

Address: TypeAlias = tuple[int, ...]
ROOT: Address = ()


def walk(root: Block, start: Address = ROOT) -> Iterator[tuple[Address, Node]]:
    """Yield all nodes below a block with their addresses, in order.

    >>> from playground.modules.spec import Layer
    >>> [address for address, _ in walk(Block([Layer("ReLU"), Block([Layer("ReLU")])]))]
    [(0,), (1,), (1, 0)]
    """
    for index, child in enumerate(root.children):
        address = (*start, index)
        yield address, child
        if isinstance(child, Block):
            yield from walk(child, address)


def node_at(root: Block, address: Address) -> Node:
    """Return the node at an address; the root at the empty one.

    Raises:
        IndexError: There is none.
    """
    node: Node = root
    for index in address:
        if not isinstance(node, Block) or not 0 <= index < len(node.children):
            raise IndexError(address)
        node = node.children[index]
    return node


def has(root: Block, address: Address) -> bool:
    """Return whether there is a node at an address."""
    try:
        node_at(root, address)
    except IndexError:
        return False
    return True


def path_at(root: Block, address: Address) -> str:
    """Return torch's path of the module at an address; of several copies the first.

    A shared module has the name of this address.

    >>> from playground.modules.spec import Layer
    >>> path_at(Block([Layer("ReLU", times=2), Block([Layer("ReLU")], name="body")]), (1, 0))
    'body.0'
    """
    parts, node = [], root
    for index in address:
        parts.append(node.names()[index][0])
        child = node.children[index]
        node = child if isinstance(child, Block) else node
    return ".".join(parts)


def landing(address: Address, target: Address) -> Address:
    """Return the address of a node after it is moved to the place of another.

    >>> landing((0,), (2,)), landing((2,), (0,)), landing((0,), (1, 3)), landing((1, 0), (1,))
    ((1,), (0,), (0, 3), (1,))
    """
    if target[: len(address)] == address and target != address:
        raise IndexError(target)
    level = len(address) - 1
    is_shifted = (
        len(target) > level and target[:level] == address[:level] and target[level] > address[level]
    )
    if not is_shifted:
        return target
    return (*target[:level], target[level] - 1, *target[level + 1 :])


def step(root: Block, address: Address, *, down: bool) -> Address | None:
    """Return the address of a node after one step: past a layer, into a block, or out of its own.

    Returns:
        Its address after the move; None where it cannot go further.

    >>> from playground.modules.spec import Layer
    >>> step(Block([Layer("ReLU"), Block([Layer("ReLU")])]), (0,), down=True)
    (0, 0)
    """
    parent_address, index = address[:-1], address[-1]
    parent = node_at(root, parent_address)
    siblings = parent.children if isinstance(parent, Block) else ()
    neighbour = index + 1 if down else index - 1
    if not 0 <= neighbour < len(siblings):
        if not parent_address:
            return None
        return (*parent_address[:-1], parent_address[-1] + int(down))
    beside = siblings[neighbour]
    if not isinstance(beside, Block):
        return (*parent_address, neighbour)
    if down:
        return (*parent_address, index, 0)  # the block moves up as the node leaves
    return (*parent_address, neighbour, len(beside.children))


def address_of(root: Block, path: str) -> Address | None:
    """Return the address of the node that a path leads to, or into; None for the root.

    >>> from playground.modules.spec import Layer
    >>> address_of(Block([Layer("ReLU", times=2), Block([Layer("ReLU")])]), "2.0")
    (1, 0)
    """
    found: Address = ()
    block: Block | None = root
    for part in path.split(".") if path else ():
        if block is None:
            break
        for index, names in enumerate(block.names()):
            if part in names:
                found = (*found, index)
                child = block.children[index]
                block = child if isinstance(child, Block) else None
                break
        else:
            break
    return found or None
