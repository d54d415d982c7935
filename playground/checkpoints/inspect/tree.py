"""The tree of a checkpoint: walked once, within limits, into nodes and checked tensors."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from operator import mul
from typing import Any, NoReturn

from playground.checkpoints.inspect import allow_list
from playground.checkpoints.inspect.allow_list import (
    MAX_ELEMENTS,
    MAX_PATH_CHARACTERS,
    MAX_RANK,
    MAX_TENSOR_BYTES,
    RefusedError,
    format_limit,
)
from playground.checkpoints.inspect.pickle_machine import (
    CallRecord,
    CounterRecord,
    GlobalName,
    OrderedDictRecord,
    StorageRecord,
)
from playground.checkpoints.inspect.results import (
    ITEM_BYTES,
    Kind,
    Node,
    Path,
    Tensor,
    Verdict,
    display_path,
    display_text,
)

_DEVICE = re.compile(r"cpu|cuda(:[0-9]{1,2})?", re.ASCII)
_KEY = re.compile(r"[0-9]{1,20}", re.ASCII)
_LARGEST = 2**63  # torch counts elements and bytes in 64 bits
_WEIGHTS = ("weight", "bias")
_GRADIENT = ("float", "bfloat", "complex")


class Rebuilder:
    """Turns what the pickle would have called into records of tensors.

    Args:
        storages: The bytes of each storage by its key.
    """

    def __init__(self, storages: Mapping[str, memoryview]) -> None:
        self._storages = storages
        self._known: dict[str, tuple[Any, ...]] = {}  # what was said of a storage the first time
        self._layouts: dict[tuple[int, int], tuple[int, int]] = {}  # by the ids of shape and stride

    @property
    def used(self) -> frozenset[str]:
        """The keys of the storages that a tensor reads."""
        return frozenset(self._known)

    def tensor(self, called: CallRecord, path: Path) -> Tensor:
        """Check a tensor or parameter and describe it.

        Raises:
            RefusedError: BAD_TENSOR or TOO_MANY_ELEMENTS.
        """
        if called.name == allow_list.REBUILD_PARAMETER:
            inner, requires_grad, hooks = _unpacked(called, 3, path)
            if type(inner) is not CallRecord or inner.name != allow_list.REBUILD_TENSOR:
                _refuse(path)
            _check_flags(requires_grad, hooks, path)
            return self._tensor(inner, path, requires_grad=requires_grad, is_parameter=True)
        return self._tensor(called, path)

    def _tensor(
        self,
        called: CallRecord,
        path: Path,
        *,
        requires_grad: bool = False,
        is_parameter: bool = False,
    ) -> Tensor:
        stored, offset, shape, stride, own_requires_grad, hooks = _unpacked(called, 6, path)
        _check_flags(own_requires_grad, hooks, path)
        dtype, key, device, count = self._storage(stored, path)
        _check_whole((offset,), path)
        spanned, reach = self._layout(shape, stride, path)
        _check_within(shape, spanned, offset + reach, count, dtype, path)
        requires_grad = requires_grad or own_requires_grad
        if requires_grad and not dtype.startswith(_GRADIENT):
            _refuse(path)
        return Tensor(
            path=path,
            shape=shape,
            dtype=dtype,
            stride=stride,
            offset=offset,
            storage=key,
            storage_bytes=count * ITEM_BYTES[dtype],
            device=device,
            requires_grad=requires_grad,
            is_parameter=is_parameter,
        )

    def _layout(self, shape: Any, stride: Any, path: Path) -> tuple[int, int]:
        """Return the elements and the reach of a layout; computed once for shared tuples."""
        key = id(shape), id(stride)  # nothing of the tree goes while it is read
        if key not in self._layouts:
            for numbers in (shape, stride):
                _check_whole(numbers, path)
            if len(shape) != len(stride) or len(shape) > MAX_RANK:
                _refuse(path)
            reach = sum(map(mul, shape, stride)) - sum(stride)
            self._layouts[key] = math.prod(filter(None, shape)), reach
        return self._layouts[key]

    def _storage(self, stored: object, path: Path) -> tuple[str, str, str, int]:
        if type(stored) is not StorageRecord or len(stored.values) != 5:
            _refuse(path)
        tag, kind, key, device, count = stored.values
        if tag != "storage" or type(kind) is not GlobalName or kind.full not in allow_list.STORAGES:
            _refuse(path)
        if type(key) is not str or not _KEY.fullmatch(key) or key not in self._storages:
            _refuse(path, "bad_tensor_record")
        if type(device) is not str or not _DEVICE.fullmatch(device):
            _refuse(path, "bad_tensor_device")
        dtype = allow_list.STORAGES[kind.full]
        if type(count) is not int or count < 0:
            _refuse(path)
        if count * ITEM_BYTES[dtype] != len(self._storages[key]):
            _refuse(path, "bad_tensor_storage", size=len(self._storages[key]))
        if self._known.setdefault(key, (dtype, device)) != (dtype, device):
            _refuse(path)
        return dtype, key, device, count


def _unpacked(called: CallRecord, count: int, path: Path) -> tuple[Any, ...]:
    if len(called.arguments) != count:
        _refuse(path, "bad_tensor_flags" if len(called.arguments) == count + 1 else "")
    return called.arguments


def _check_flags(requires_grad: object, hooks: object, path: Path) -> None:
    if type(requires_grad) is not bool or type(hooks) is not OrderedDictRecord:
        _refuse(path)
    if hooks or hooks.metadata is not None:
        _refuse(path)


def _check_whole(numbers: object, path: Path) -> None:
    if type(numbers) is not tuple:
        _refuse(path)
    if not set(map(type, numbers)) <= {int}:
        _refuse(path, "bad_tensor_number")
    if numbers and not 0 <= min(numbers) <= max(numbers) < _LARGEST:
        _refuse(path, "bad_tensor_number")


def _check_within(
    shape: tuple[int, ...],
    spanned: int,
    last: int,
    count: int,
    dtype: str,
    path: Path,
) -> None:
    """Refuse what reaches beyond its storage, or has more elements than a tensor may have."""
    if spanned * ITEM_BYTES[dtype] >= _LARGEST:
        _refuse(path, "bad_tensor_reach", size=count * ITEM_BYTES[dtype])
    if 0 in shape:
        if max(shape) > MAX_ELEMENTS:
            _refuse(path, "bad_tensor_number")
        return
    if last >= count:
        _refuse(path, "bad_tensor_reach", size=count * ITEM_BYTES[dtype])
    if spanned > MAX_ELEMENTS:
        raise RefusedError(
            Verdict.TOO_MANY_ELEMENTS,
            name=display_path(path),
            count=spanned,
            size=count * ITEM_BYTES[dtype],
            most=MAX_ELEMENTS,
        )


def _refuse(path: Path, reason: str = "", **values: str | int) -> NoReturn:
    raise RefusedError(Verdict.BAD_TENSOR, reason, name=display_path(path), **values)


_SCALARS = (str, int, float, bool, type(None))


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
        if isinstance(value, CallRecord) and value.name in _REBUILDERS:
            return self._tensor(value, path)
        return _value(value, path)

    def _tensor(self, called: CallRecord, path: Path) -> Node:
        tensor = self._rebuilder.tensor(called, path)
        self._bytes += tensor.bytes
        if self._bytes > MAX_TENSOR_BYTES:
            raise RefusedError(Verdict.TOO_MANY_BYTES, most=format_limit(MAX_TENSOR_BYTES))
        self.tensors.append(tensor)
        return Node(
            path=path, kind=Kind.TENSOR, type="Parameter" if tensor.is_parameter else "Tensor"
        )

    def _dict(self, value: dict[Any, Any], path: Path) -> Node:
        _check_length(path, value)
        if type(value) is CounterRecord and any(type(each) is not int for each in value.values()):
            raise RefusedError(Verdict.BAD_PICKLE)
        children = tuple(self.node(each, (*path, key)) for key, each in value.items())
        metadata = value.metadata if isinstance(value, OrderedDictRecord) else None
        if metadata is not None:
            _check_metadata(metadata)
        return Node(
            path=path,
            kind=dict_kind(children, is_state_dict=metadata is not None),
            type=_DICT_TYPES[type(value)],
            children=children,
        )


_DICT_TYPES: dict[type, str] = {
    dict: "dict",
    OrderedDictRecord: "OrderedDict",
    CounterRecord: "Counter",
}
_REBUILDERS = (allow_list.REBUILD_TENSOR, allow_list.REBUILD_PARAMETER)


def _check_length(path: Path, keys: Iterable[str | int]) -> None:
    """Refuse a dict where the keys that lead to a value of it are too long together."""
    longest = max((len(str(key)) for key in keys), default=0)
    if sum(len(str(step)) for step in path) + longest > MAX_PATH_CHARACTERS:
        raise RefusedError(Verdict.BAD_KEYS, "bad_keys_path", most=MAX_PATH_CHARACTERS)


def _value(value: object, path: Path) -> Node:
    if type(value) in _SCALARS:
        text = display_text(value if isinstance(value, str) else str(value))
        return Node(path=path, kind=Kind.VALUE, type=type(value).__name__, text=text)
    if isinstance(value, GlobalName) and value.full in allow_list.DTYPES:
        return Node(path=path, kind=Kind.VALUE, type="torch.dtype", text=value.full)
    if isinstance(value, CallRecord) and value.name == allow_list.SIZE:
        return Node(path=path, kind=Kind.VALUE, type="torch.Size", text=_size_text(value))
    if isinstance(value, CallRecord) and value.name == allow_list.DEVICE:
        return Node(path=path, kind=Kind.VALUE, type="torch.device", text=_device_text(value))
    if isinstance(value, StorageRecord):
        raise RefusedError(Verdict.BAD_TENSOR, "bad_tensor_bare", name=display_path(path))
    raise RefusedError(Verdict.BAD_PICKLE)


def _size_text(called: CallRecord) -> str:
    if len(called.arguments) != 1 or type(called.arguments[0]) is not tuple:
        raise RefusedError(Verdict.BAD_PICKLE)
    sizes = called.arguments[0]
    if len(sizes) > MAX_RANK or any(type(size) is not int for size in sizes):
        raise RefusedError(Verdict.BAD_PICKLE)
    if any(not 0 <= size < 2**63 for size in sizes):
        raise RefusedError(Verdict.BAD_PICKLE)
    return display_text(f"torch.Size({list(sizes)})")


def _device_text(called: CallRecord) -> str:
    kind, *index = called.arguments or (None,)
    if type(kind) is not str or kind not in allow_list.DEVICE_KINDS or len(index) > 1:
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
    """Return whether it is a version, or versions by weight as ``spectral_norm`` adds them."""
    if isinstance(version, dict):
        return all(type(each) in _SCALARS for each in version.values())
    return type(version) in _SCALARS


def dict_kind(children: Sequence[Node], *, is_state_dict: bool = False) -> Kind:
    """Classify a dict by its children.

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
    """Return whether these are tensors under names as layers give them."""
    if not children or any(child.kind is not Kind.TENSOR for child in children):
        return False
    names = [child.path[-1] for child in children]
    if any(type(name) is not str for name in names):
        return False
    return any(str(name).rpartition(".")[2].startswith(_WEIGHTS) for name in names)
