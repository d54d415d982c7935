"""Which dicts of a file could be a network's state; knows the inspection, and no torch."""

from collections.abc import Iterator

from playground.checkpoints.fingerprint import Path
from playground.checkpoints.inspect.records import Inspection, Kind, Node

MOST_PARTS = 50


def parts_of(inspection: Inspection) -> tuple[Path, ...]:
    """The keys that lead to each dict with tensors in it, the model's first; none of an optimizer.

    Args:
        inspection: Of an accepted file.
    """
    structure = inspection.structure
    if structure is None:
        return ()
    found = list(_dicts(structure.root))[:MOST_PARTS]
    model = structure.model
    if model is not None:
        found = [model, *(path for path in found if path != model)]
    return tuple(found)


def _dicts(node: Node) -> Iterator[Path]:
    if node.kind is Kind.OPTIMIZER:
        return
    is_dict = node.kind in (Kind.DICT, Kind.STATE_DICT, Kind.CHECKPOINT)
    if is_dict and any(child.kind is Kind.TENSOR for child in node.children):
        yield node.path
    for child in node.children:
        yield from _dicts(child)
