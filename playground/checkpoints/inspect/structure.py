"""What the parts of a checkpoint are: which is the model, which the optimizer, what lies beside."""

from collections.abc import Iterator, Sequence

from playground.checkpoints.inspect.records import Kind, Node, Path, Structure, Tensor

_WEIGHTS = ("weight", "bias")
_MODEL_NAMES = ("model", "state_dict", "model_state_dict", "net", "network")


def dict_kind(children: Sequence[Node], *, is_state_dict: bool = False) -> Kind:
    """What a dict with these children is.

    Args:
        children: Its values, as nodes.
        is_state_dict: Whether it carries the versions that ``nn.Module.state_dict`` adds.
    """
    named = {child.path[-1]: child for child in children}
    groups = named.get("param_groups")
    if "state" in named and groups is not None and groups.kind is Kind.LIST:
        return Kind.OPTIMIZER
    if is_state_dict or _looks_like_state_dict(children):
        return Kind.STATE_DICT
    if any(child.kind in (Kind.STATE_DICT, Kind.OPTIMIZER) for child in children):
        return Kind.CHECKPOINT
    return Kind.DICT


def _looks_like_state_dict(children: Sequence[Node]) -> bool:
    """Whether these are tensors under names as layers give them."""
    if not children or any(child.kind is not Kind.TENSOR for child in children):
        return False
    names = [child.path[-1] for child in children]
    if any(type(name) is not str for name in names):
        return False
    return any(str(name).rpartition(".")[2].startswith(_WEIGHTS) for name in names)


def describe(root: Node) -> Structure:
    """Find the model, the optimizer and the plain values in a tree."""
    return Structure(
        root=root,
        model=_find_model(root),
        optimizer=next((node.path for node in _walk(root) if node.kind is Kind.OPTIMIZER), None),
        values=tuple(node for node in _outside_optimizers(root) if node.kind is Kind.VALUE),
    )


def flat_structure(tensors: Sequence[Tensor]) -> Structure:
    """The structure of a safetensors file: a dict of tensors, and nothing else."""
    children = tuple(Node(path=tensor.path, kind=Kind.TENSOR, type="Tensor") for tensor in tensors)
    return describe(Node(path=(), kind=dict_kind(children), type="dict", children=children))


def _find_model(root: Node) -> Path | None:
    found = [node for node in _outside_optimizers(root) if node.kind is Kind.STATE_DICT]
    for name in _MODEL_NAMES:
        for node in found:
            if node.path and str(node.path[-1]).lower() == name:
                return node.path
    return found[0].path if found else None


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _outside_optimizers(node: Node) -> Iterator[Node]:
    if node.kind is Kind.OPTIMIZER:
        return
    yield node
    for child in node.children:
        yield from _outside_optimizers(child)
