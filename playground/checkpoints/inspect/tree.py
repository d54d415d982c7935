"""The tree of a checkpoint: walked once, within bounds, into nodes and tensors."""

from collections.abc import Iterable
from typing import Any

from playground.checkpoints.inspect import caps, references
from playground.checkpoints.inspect.machine import Called, Name, OrderedTable, Stored
from playground.checkpoints.inspect.rebuilt import Rebuilder
from playground.checkpoints.inspect.records import Kind, Node, Path, Tensor
from playground.checkpoints.inspect.shown import dotted, shown
from playground.checkpoints.inspect.structure import dict_kind
from playground.checkpoints.inspect.verdicts import RefusedError, Verdict

_SCALARS = (str, int, float, bool, type(None))


def check_extent(root: object) -> None:
    """Refuse a tree that is too large or too deep, level by level.

    Objects met twice count twice, so a small file whose tree is huge is refused after a few
    levels, and one that holds itself at the deepest.

    Raises:
        RefusedError: TOO_MANY_NODES or TOO_DEEP.
    """
    level: list[object] = [root]
    count = 1
    for _ in range(caps.DEPTH + 1):
        below: list[object] = []
        for node in level:
            children = _children(node)
            count += len(children)
            if count > caps.NODES:
                raise RefusedError(Verdict.TOO_MANY_NODES, most=caps.NODES)
            below.extend(children)
        if not below:
            return
        level = below
    raise RefusedError(Verdict.TOO_DEEP, most=caps.DEPTH)


def _children(node: object) -> list[object]:
    if isinstance(node, dict):
        metadata = getattr(node, "metadata", None)
        return [*node.values(), *(() if metadata is None else (metadata,))]
    if type(node) in (list, tuple):
        return list(node)  # type: ignore[call-overload, no-any-return]
    return []


class TreeReader:
    """Reads a tree that ``check_extent`` has let pass.

    Args:
        rebuilder: Judges the tensors.
    """

    def __init__(self, rebuilder: Rebuilder) -> None:
        self._rebuilder = rebuilder
        self._bytes = 0
        self.tensors: list[Tensor] = []

    def node(self, value: object, path: Path = ()) -> Node:
        """Describe a value and all that is in it.

        Raises:
            RefusedError: BAD_TENSOR, BAD_PICKLE, BAD_KEYS, TOO_MANY_ELEMENTS or TOO_MANY_BYTES.
        """
        if type(value) in (list, tuple):
            kind = Kind.LIST if type(value) is list else Kind.TUPLE
            items = tuple(self.node(each, (*path, place)) for place, each in enumerate(value))  # type: ignore[arg-type, var-annotated]
            return Node(path=path, kind=kind, type=str(kind), children=items)
        if isinstance(value, dict):
            return self._dict(value, path)
        if isinstance(value, Called) and value.name in _REBUILDERS:
            return self._tensor(value, path)
        return _value(value, path)

    def _tensor(self, called: Called, path: Path) -> Node:
        tensor = self._rebuilder.tensor(called, path)
        self._bytes += tensor.bytes
        if self._bytes > caps.TENSOR_BYTES:
            raise RefusedError(Verdict.TOO_MANY_BYTES, most=caps.said(caps.TENSOR_BYTES))
        self.tensors.append(tensor)
        return Node(
            path=path, kind=Kind.TENSOR, type="Parameter" if tensor.is_parameter else "Tensor"
        )

    def _dict(self, value: dict[Any, Any], path: Path) -> Node:
        _check_length(path, value)
        children = tuple(self.node(each, (*path, key)) for key, each in value.items())
        is_ordered = type(value) is OrderedTable
        metadata = value.metadata if isinstance(value, OrderedTable) else None
        if metadata is not None:
            _check_metadata(metadata)
        return Node(
            path=path,
            kind=dict_kind(children, is_state_dict=metadata is not None),
            type="OrderedDict" if is_ordered else "dict",
            children=children,
        )


_REBUILDERS = (references.REBUILD_TENSOR, references.REBUILD_PARAMETER)


def grouped(tensors: Iterable[Tensor]) -> dict[str, tuple[Path, ...]]:
    """The paths of the tensors that read one storage, where there are several, by storage."""
    paths: dict[str, list[Path]] = {}
    for tensor in tensors:
        if tensor.storage_bytes:
            paths.setdefault(tensor.storage, []).append(tensor.path)
    return {storage: tuple(found) for storage, found in paths.items() if len(found) > 1}


def _check_length(path: Path, keys: Iterable[str | int]) -> None:
    """Refuse a dict where the keys that lead to a value of it are too long together."""
    longest = max((len(str(key)) for key in keys), default=0)
    if sum(len(str(step)) for step in path) + longest > caps.PATH:
        raise RefusedError(Verdict.BAD_KEYS, "bad_keys_path", most=caps.PATH)


def _value(value: object, path: Path) -> Node:
    if type(value) in _SCALARS:
        text = shown(value if isinstance(value, str) else str(value))
        return Node(path=path, kind=Kind.VALUE, type=type(value).__name__, text=text)
    if isinstance(value, Name) and value.full in references.DTYPES:
        return Node(path=path, kind=Kind.VALUE, type="torch.dtype", text=value.full)
    if isinstance(value, Called) and value.name == references.SIZE:
        return Node(path=path, kind=Kind.VALUE, type="torch.Size", text=_size_text(value))
    if isinstance(value, Called) and value.name == references.DEVICE:
        return Node(path=path, kind=Kind.VALUE, type="torch.device", text=_device_text(value))
    if isinstance(value, Stored):
        raise RefusedError(Verdict.BAD_TENSOR, "bad_tensor_bare", name=dotted(path))
    raise RefusedError(Verdict.BAD_PICKLE)


def _size_text(called: Called) -> str:
    if len(called.arguments) != 1 or type(called.arguments[0]) is not tuple:
        raise RefusedError(Verdict.BAD_PICKLE)
    sizes = called.arguments[0]
    if len(sizes) > caps.RANK or any(type(size) is not int for size in sizes):
        raise RefusedError(Verdict.BAD_PICKLE)
    if any(not 0 <= size < 2**63 for size in sizes):
        raise RefusedError(Verdict.BAD_PICKLE)
    return shown(f"torch.Size({list(sizes)})")


def _device_text(called: Called) -> str:
    kind, *index = called.arguments or (None,)
    if type(kind) is not str or kind not in references.DEVICE_KINDS or len(index) > 1:
        raise RefusedError(Verdict.BAD_PICKLE)
    if index and (type(index[0]) is not int or not 0 <= index[0] < 100):
        raise RefusedError(Verdict.BAD_PICKLE)
    return ":".join(map(str, called.arguments))


def _check_metadata(metadata: object) -> None:
    """Refuse versions of modules that are anything but versions of modules."""
    if not isinstance(metadata, dict):
        raise RefusedError(Verdict.BAD_PICKLE)
    for name, versions in metadata.items():
        if type(name) is not str or not isinstance(versions, dict):
            raise RefusedError(Verdict.BAD_PICKLE)
        if not all(_is_version(version) for version in versions.values()):
            raise RefusedError(Verdict.BAD_PICKLE)


def _is_version(version: object) -> bool:
    """Whether it is a version, or what hooks add: ``spectral_norm`` notes one for each weight."""
    if isinstance(version, dict):
        return all(type(each) in _SCALARS for each in version.values())
    return type(version) in _SCALARS
