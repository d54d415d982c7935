"""Putting a trace's suggestion into effect; knows specs, and no Streamlit."""

from playground.modules.forward_trace import Suggestion
from playground.modules.spec import Block, Layer, Shared, edit
from playground.modules.spec.edit import Address


def place_of(root: Block, path: str) -> Address | None:
    """The address of the node that a path leads to, or into; None where it leads to the root.

    >>> place_of(Block([Layer("ReLU", times=2), Block([Layer("ReLU")])]), "2.0")
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


def mended(root: Block, advice: Suggestion) -> Block:
    """The network with what the trace suggests.

    Raises:
        IndexError: There is no such layer.
    """
    place = place_of(root, advice.path)
    if place is None:
        raise IndexError(advice.path)
    if advice.insert is not None:
        return edit.insert(root, place, Layer(advice.insert))
    node = edit.node_at(root, place)
    if isinstance(node, Shared):
        place = place_of(root, node.of) or place
        node = edit.node_at(root, place)
    if not isinstance(node, Layer) or advice.argument is None:
        raise IndexError(advice.path)
    return edit.set_arguments(root, place, {**node.keywords, advice.argument: advice.value})
