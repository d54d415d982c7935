"""Python functions of torch, run as if they did not ask for torch functions.

``F.cross_entropy`` and hundreds of others begin with ``if has_torch_function(…): hand over``. Under
a mode that hands over the whole call, and the mode is off inside it. A copy of the function
that is told "nobody overrides this" lets the mode see every call within: devices are right inside.
"""

from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import Tensor

QUESTIONS = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


def _nobody(*_: object) -> bool:
    return False


class _Unasked(ModuleType):
    """Stands for a module of torch in functions that ask through it."""

    def __init__(self, original: Any, **told: object) -> None:
        super().__init__(original.__name__)
        self.__dict__.update(told, original=original)

    def __getattr__(self, name: str) -> Any:
        """Give everything else of the module."""
        return getattr(self.original, name)


_TOLD: dict[str, object] = dict.fromkeys(QUESTIONS, _nobody)
_OVERRIDES = _Unasked(torch.overrides, **_TOLD)
_TORCH = _Unasked(torch, overrides=_OVERRIDES)


@cache
def body_of(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Copy a function without its question; None where it does not ask."""
    if function is Tensor.__repr__:
        return _written
    if not isinstance(function, FunctionType):
        return None
    names = function.__code__.co_names
    if "super" in names or not any(question in names for question in QUESTIONS):
        return None  # what super() calls comes back under this same name
    told = dict(_TOLD)
    if "overrides" in names:
        told |= {"overrides": _OVERRIDES, "torch": _TORCH}
    body = FunctionType(
        function.__code__,
        function.__globals__ | told,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    body.__kwdefaults__ = function.__kwdefaults__
    return body


def _written(tensor: Tensor, *, tensor_contents: str | None = None) -> str:
    """``repr(tensor)``; torch's own first switches all modes off, and would not see the device."""
    with torch.no_grad():
        written = torch._tensor_str._str_intern(tensor, tensor_contents=tensor_contents)  # type: ignore[no-untyped-call]
    return str(written)
