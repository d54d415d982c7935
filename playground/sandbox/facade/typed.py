"""``torch.IntTensor(2, 3)`` and its like, which show zeros and not what was in memory."""

from typing import Any

import torch

from playground.sandbox.facade.legacy import are_sizes

NAMES = (
    "BoolTensor",
    "ByteTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
)


class _Typed(type):
    """The class of what stands in for a legacy tensor type, which cannot be altered itself."""

    _real: Any

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # torch itself reads the name it was made with
        """As the real type's."""
        return str(cls._real.__name__)

    def __call__(cls, *args: Any, **options: Any) -> torch.Tensor:
        """A tensor of values, or of zeros where it is given sizes."""
        made: torch.Tensor = cls._real(*args, **options)
        return made.zero_() if are_sizes(args) else made

    def __instancecheck__(cls, value: object) -> bool:
        """What is one of the real type."""
        return isinstance(value, cls._real)

    def __repr__(cls) -> str:
        """As torch shows the real type."""
        return repr(cls._real)


def stand_in(name: str) -> type:
    """What ``torch.IntTensor`` is in a cell; ``x.type(torch.IntTensor)`` knows it by its name.

    Args:
        name: Without ``torch.``.
    """
    real = getattr(torch, name)
    return _Typed(f"torch.{name}", (), {"_real": real, "__module__": "torch", "__slots__": ()})


def set_default_tensor_type(kind: Any) -> None:
    """``torch.set_default_tensor_type``, which wants the real type."""
    torch.set_default_tensor_type(kind._real if isinstance(kind, _Typed) else kind)
