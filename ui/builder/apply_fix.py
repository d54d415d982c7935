"""Apply the fix that a trace suggests; knows specs, and no Streamlit."""

from dataclasses import replace

from playground.modules.spec import Block, Layer, Shared, edit
from playground.modules.spec.edit import Address
from playground.modules.trace_types import ForwardTrace, Suggestion

IMAGE_DIMENSIONS = 4  # batch, channels, height, width


def address_of(root: Block, path: str) -> Address | None:
    """Return the address of the node that a path leads to, or into; None for the root.

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


def suggested_fix(root: Block, trace: ForwardTrace) -> Suggestion | None:
    """Return the trace's suggestion, or a better one where that would only move the error.

    A linear layer behind images wants them flattened, not another width. A layer that is used again
    wants as many outputs as inputs: with another ``in_features`` its first use would fail.
    """
    advice = trace.suggestion
    if advice is None or advice.argument != "in_features":
        return advice
    row = next(row for row in reversed(trace.rows) if row.path == advice.path)
    if len(row.input_shapes[0]) == IMAGE_DIMENSIONS:
        return replace(advice, argument=None, value=None, given=None, insert="Flatten")
    place = address_of(root, advice.path)
    node = edit.node_at(root, place) if place else None
    is_copy = isinstance(node, Layer) and node.times > 1 and not is_first_copy(root, advice.path)
    if not (isinstance(node, Shared) or row.call > 1 or is_copy):
        return advice
    return replace(advice, argument="out_features", value=advice.given, given=None)


def is_first_copy(root: Block, path: str) -> bool:
    """Return whether a path leads to the first of several copies in a row."""
    place = address_of(root, path)
    return place is not None and edit.path_at(root, place) == path


def with_fix(root: Block, advice: Suggestion) -> Block:
    """Return the network with the suggested fix.

    Raises:
        IndexError: There is no such layer.
    """
    place = address_of(root, advice.path)
    if place is None:
        raise IndexError(advice.path)
    if advice.insert is not None:
        return edit.insert(root, place, Layer(advice.insert))
    node = edit.node_at(root, place)
    if isinstance(node, Shared):
        place = address_of(root, node.of) or place
        node = edit.node_at(root, place)
    if not isinstance(node, Layer) or advice.argument is None:
        raise IndexError(advice.path)
    return edit.set_arguments(root, place, {**node.keywords, advice.argument: advice.value})
