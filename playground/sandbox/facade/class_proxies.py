"""Classes that stand for real ones which show uninitialised memory, or which a cell may not call.

``isinstance``, ``==`` and ``print`` take them for the real ones.
"""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy
import torch

from playground.sandbox.facade.guard import HOME
from playground.sandbox.facade.legacy import are_sizes

LEGACY_NAMES = (
    "BoolTensor",
    "ByteTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
)
DEFAULT_TYPE = re.compile(r"torch\.(cuda\.)?(Float|Double|Half|BFloat16)Tensor")


class _Proxy(type):
    """The class of what stands for a real class."""

    _real: Any

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # torch itself reads the name it was made with
        """As the real type's."""
        return str(cls._real.__name__)

    def __call__(cls, *_: object, **__: object) -> Any:
        """Refuse to make an object."""
        raise TypeError("type() tells a class here; write a class statement to make one")

    def __instancecheck__(cls, value: object) -> bool:
        """What is one of the real type."""
        return isinstance(value, cls._real)

    def __repr__(cls) -> str:
        """As Python shows the real type."""
        return repr(cls._real)


class _LegacyTensor(_Proxy):
    """``torch.IntTensor(2, 3)`` and its like, which show zeros and not what was in memory."""

    def __call__(cls, *args: Any, **options: Any) -> torch.Tensor:
        """A tensor of values, or of zeros where it is given sizes."""
        made: torch.Tensor = cls._real(*args, **options)
        return made.zero_() if are_sizes(args) else made


class _Array(_Proxy):
    """``np.ndarray((2, 3))``, which shows zeros, and reads no memory as objects."""

    def __call__(  # type: ignore[override]
        cls, shape: Any, dtype: Any = float, *, order: Any = "C"
    ) -> Any:
        """An array of zeros."""
        return numpy.zeros(shape, dtype, order)


def _proxy(kind: type[_Proxy], real: Any, name: str, module: str) -> type:
    return kind(name, (), {"_real": real, "__module__": module, "__slots__": ()})


def legacy_tensor(name: str) -> type:
    """What ``torch.IntTensor`` is in a cell; ``x.type(torch.IntTensor)`` knows it by its name.

    Args:
        name: Without ``torch.``.
    """
    return _proxy(_LegacyTensor, getattr(torch, name), f"torch.{name}", "torch")


ndarray = _proxy(_Array, numpy.ndarray, "ndarray", "numpy")


@functools.cache
def _shown(kind: type) -> type:
    """A class that can be looked at and compared."""
    return _proxy(_Proxy, kind, kind.__name__, "builtins")


def type_of(offered: Mapping[type, type]) -> Callable[..., type]:
    """Make the ``type`` that tells the class of an object, and makes no class.

    Args:
        offered: By real class: what a cell knows it as. The cell's own classes are real as well,
            and of all others a proxy is told.
    """

    def type_(value: object, *more: object) -> type:
        if more:
            raise TypeError("type() tells a class here; write a class statement to make one")
        kind: Any = type(value)
        return offered.get(kind) or (kind if kind.__module__ == HOME else _shown(kind))

    return type_


def set_default_tensor_type(kind: Any) -> None:
    """``torch.set_default_tensor_type``, which wants the real type, and imports what a text names.

    Raises:
        TypeError: It is no type of tensors.
    """
    if isinstance(kind, str) and not (type(kind) is str and DEFAULT_TYPE.fullmatch(kind)):
        raise TypeError(f"invalid type name {kind!r}")
    torch.set_default_tensor_type(kind._real if isinstance(kind, _LegacyTensor) else kind)
