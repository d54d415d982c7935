"""The function mode: sees every call of torch's Python interface first.

Device attributes, moves, factories and conversions to NumPy are answered here; all other calls run,
and ``dispatch_mode`` checks and places their tensors.

``F.cross_entropy`` and hundreds of other functions begin with ``if has_torch_function(…): return
handle_torch_function(…)``. That passes the whole call to the mode, which is off inside it. The mode
therefore runs a copy of such a function in which ``has_torch_function`` returns False, and sees
every call that the copy makes.
"""

from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

from playground.machines.simulated import device_transfer, gradients, tensor_attributes
from playground.machines.simulated.host import (
    Arguments,
    Function,
    Options,
    SimulatedHost,
    this_thread,
)

OVERRIDE_CHECKS = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


def _is_not_overridden(*_: object) -> bool:
    return False


class _ModuleView(ModuleType):
    """A module of torch with some attributes replaced."""

    def __init__(self, original: Any, **replaced: object) -> None:
        super().__init__(original.__name__)
        self.__dict__.update(replaced, original=original)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


_REPLACEMENTS: dict[str, object] = dict.fromkeys(OVERRIDE_CHECKS, _is_not_overridden)
_OVERRIDES = _ModuleView(torch.overrides, **_REPLACEMENTS)
_TORCH = _ModuleView(torch, overrides=_OVERRIDES)


@cache
def unwrapped(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Copy a function without its override check; None where it has none."""
    if function is Tensor.__repr__:
        return _tensor_repr
    if not isinstance(function, FunctionType):
        return None
    names = function.__code__.co_names
    if "super" in names or not any(check in names for check in OVERRIDE_CHECKS):
        return None  # what super() calls comes back under this same name
    replaced = dict(_REPLACEMENTS)
    if "overrides" in names:
        replaced |= {"overrides": _OVERRIDES, "torch": _TORCH}
    body = FunctionType(
        function.__code__,
        function.__globals__ | replaced,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    body.__kwdefaults__ = function.__kwdefaults__
    return body


def _tensor_repr(tensor: Tensor, *, tensor_contents: str | None = None) -> str:
    """``repr(tensor)``; torch's own disables all modes first, and would not see the device."""
    with torch.no_grad():
        written = torch._tensor_str._str_intern(tensor, tensor_contents=tensor_contents)  # type: ignore[no-untyped-call]
    return str(written)


PLAIN = (Tensor,)
FACTORIES = frozenset(_device_constructors())  # the devices of their arguments do not matter
NOTHING: tuple[Sequence[Any], dict[str, Any]] = ((), {})
Handler = Callable[[SimulatedHost, Callable[..., Any], Sequence[Any], dict[str, Any]], Any]

HANDLERS: dict[Any, Handler] = {
    torch.Tensor.to: device_transfer.to,
    torch.Tensor.cuda: device_transfer.cuda,
    torch.Tensor.cpu: device_transfer.cpu,
    torch.Tensor.type_as: device_transfer.type_as,
    **tensor_attributes.HANDLERS,
}


class SimulatedFunctionMode(TorchFunctionMode):
    """Answers the calls whose result on the CPU would be wrong for a simulated device."""

    def __init__(self, host: SimulatedHost) -> None:
        super().__init__()
        self.host = host
        host.function_mode = self

    def __torch_function__(
        self,
        func: Function,
        types: Sequence[type],
        args: Arguments = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        host = self.host
        if this_thread.host is not host:
            return func(*args, **(kwargs or {}))
        kwargs = kwargs or {}
        outer = host.current_call
        host.current_call = NOTHING if func in FACTORIES else (args, kwargs)
        try:
            handler = HANDLERS.get(func)
            if handler is not None:
                return handler(host, func, args, kwargs)
            if kwargs.get("device") is not None:
                return device_transfer.create(host, func, args, kwargs)
            if kwargs.get("pin_memory") is True:
                return device_transfer.create(host, func, args, {**kwargs, "device": "cpu"})
            if not types or types == PLAIN:  # subclasses, as UninitializedParameter, go first
                body = unwrapped(func)
                if body is not None:
                    return self._run(body, args, kwargs)
            result = func(*args, **kwargs)
        finally:
            host.current_call = outer
        if host.met_cpu_scalar:
            host.met_cpu_scalar = False
            gradients.return_scalar_gradients(host, result, (*args, *kwargs.values()))
        return result

    def _run(self, body: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
        """Run a Python function of torch so that the mode sees the calls in it."""
        self.host.current_call = None
        with self:
            return body(*args, **kwargs)
