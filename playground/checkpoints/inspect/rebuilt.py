"""Tensors as a checkpoint's pickle describes them, checked against the bytes that are there."""

import math
import re
from collections.abc import Mapping
from operator import mul
from typing import Any, NoReturn

from playground.checkpoints.inspect import caps, references
from playground.checkpoints.inspect.machine import Called, Name, OrderedTable, Stored
from playground.checkpoints.inspect.records import ITEM_BYTES, Path, Tensor
from playground.checkpoints.inspect.shown import dotted
from playground.checkpoints.inspect.verdicts import RefusedError, Verdict

_DEVICE = re.compile(r"cpu|cuda(:[0-9]{1,2})?", re.ASCII)
_KEY = re.compile(r"[0-9]{1,20}", re.ASCII)
_LARGEST = 2**63  # torch counts elements and bytes in 64 bits
_GRADIENT = ("float", "bfloat", "complex")


def contiguous_stride(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a tensor that lies in memory row by row, as torch counts them.

    >>> contiguous_stride((2, 3, 4)), contiguous_stride((2, 0, 4))
    ((12, 4, 1), (4, 4, 1))
    """
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


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

    def tensor(self, called: Called, path: Path) -> Tensor:
        """Check a tensor or parameter and describe it.

        Raises:
            RefusedError: BAD_TENSOR or TOO_MANY_ELEMENTS.
        """
        if called.name == references.REBUILD_PARAMETER:
            inner, requires_grad, hooks = _unpacked(called, 3, path)
            if type(inner) is not Called or inner.name != references.REBUILD_TENSOR:
                _refuse(path)
            _check_flags(requires_grad, hooks, path)
            return self._tensor(inner, path, requires_grad=requires_grad, is_parameter=True)
        return self._tensor(called, path)

    def _tensor(
        self,
        called: Called,
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
        """Elements, and steps from the first to the last; once for tuples that tensors share."""
        key = id(shape), id(stride)  # nothing of the tree goes while it is read
        if key not in self._layouts:
            for numbers in (shape, stride):
                _check_whole(numbers, path)
            if len(shape) != len(stride) or len(shape) > caps.RANK:
                _refuse(path)
            reach = sum(map(mul, shape, stride)) - sum(stride)
            self._layouts[key] = math.prod(filter(None, shape)), reach
        return self._layouts[key]

    def _storage(self, stored: object, path: Path) -> tuple[str, str, str, int]:
        if type(stored) is not Stored or len(stored.values) != 5:
            _refuse(path)
        tag, kind, key, device, count = stored.values
        if tag != "storage" or type(kind) is not Name or kind.full not in references.STORAGES:
            _refuse(path)
        if type(key) is not str or not _KEY.fullmatch(key) or key not in self._storages:
            _refuse(path, "bad_tensor_record")
        if type(device) is not str or not _DEVICE.fullmatch(device):
            _refuse(path, "bad_tensor_device")
        dtype = references.STORAGES[kind.full]
        if type(count) is not int or count < 0:
            _refuse(path)
        if count * ITEM_BYTES[dtype] != len(self._storages[key]):
            _refuse(path, "bad_tensor_storage", size=len(self._storages[key]))
        if self._known.setdefault(key, (dtype, device)) != (dtype, device):
            _refuse(path)
        return dtype, key, device, count


def _unpacked(called: Called, count: int, path: Path) -> tuple[Any, ...]:
    if len(called.arguments) != count:
        _refuse(path, "bad_tensor_flags" if len(called.arguments) == count + 1 else "")
    return called.arguments


def _check_flags(requires_grad: object, hooks: object, path: Path) -> None:
    if type(requires_grad) is not bool or type(hooks) is not OrderedTable:
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
        if max(shape) > caps.ELEMENTS:
            _refuse(path, "bad_tensor_number")
        return
    if last >= count:
        _refuse(path, "bad_tensor_reach", size=count * ITEM_BYTES[dtype])
    if spanned > caps.ELEMENTS:
        raise RefusedError(
            Verdict.TOO_MANY_ELEMENTS,
            name=dotted(path),
            count=spanned,
            size=count * ITEM_BYTES[dtype],
            most=caps.ELEMENTS,
        )


def _refuse(path: Path, reason: str = "", **values: str | int) -> NoReturn:
    raise RefusedError(Verdict.BAD_TENSOR, reason, name=dotted(path), **values)
