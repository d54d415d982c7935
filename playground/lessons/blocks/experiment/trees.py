"""A module as a tree of rows: what it registers, and what it merely leads to."""

from torch import Tensor, nn

from playground.lessons.blocks.records import TreeRow


def rows_of(net: nn.Module) -> tuple[TreeRow, ...]:
    """The module, its modules and their tensors, line by line.

    Modules in a list and tensors in an attribute are there too; they are not registered.
    """
    return tuple(_rows(net, "net", 0, is_registered=True))


def _rows(module: nn.Module, name: str, depth: int, *, is_registered: bool) -> list[TreeRow]:
    rows = [
        TreeRow(
            depth=depth, name=name, type_name=type(module).__name__, is_registered=is_registered
        )
    ]
    tensors = {
        **dict(module.named_parameters(recurse=False)),
        **dict(module.named_buffers("", False)),
    }
    for key, tensor in tensors.items():
        kind = "Parameter" if isinstance(tensor, nn.Parameter) else "buffer"
        rows.append(_row(key, kind, tensor, depth + 1, is_registered=is_registered))
    for key, value in vars(module).items():
        if isinstance(value, Tensor):
            rows.append(_row(key, "Tensor", value, depth + 1, is_registered=False))
        if isinstance(value, list):
            for index, each in enumerate(value):
                rows += _rows(each, f"{key}[{index}]", depth + 1, is_registered=False)
    for key, child in module.named_children():
        rows += _rows(child, key, depth + 1, is_registered=is_registered)
    return rows


def _row(name: str, kind: str, tensor: Tensor, depth: int, *, is_registered: bool) -> TreeRow:
    return TreeRow(
        depth=depth,
        name=name,
        type_name=kind,
        note=str(tuple(tensor.shape)),
        device=str(tensor.device),
        is_registered=is_registered,
    )
