"""What Python code sees: every call of torch's Python interface passes here first.

Reading a device, moving, creating and converting to NumPy are answered here; the rest runs, and
``operations`` looks after the devices.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack
from torch.utils._device import _device_constructors

from playground.machines.simulated import gradients, moving, questions
from playground.machines.simulated.active import this_thread
from playground.machines.simulated.bodies import body_of
from playground.machines.simulated.host import SimulatedHost

PLAIN = (Tensor,)
FACTORIES = frozenset(_device_constructors())  # they do not look where their arguments live
NOTHING: tuple[Sequence[Any], dict[str, Any]] = ((), {})
Handler = Callable[[SimulatedHost, Callable[..., Any], Sequence[Any], dict[str, Any]], Any]

HANDLERS: dict[Any, Handler] = {
    torch.Tensor.to: moving.to,
    torch.Tensor.cuda: moving.cuda,
    torch.Tensor.cpu: moving.cpu,
    torch.Tensor.type_as: moving.type_as,
    **questions.HANDLERS,
}


class Surface(TorchFunctionMode):
    """Answers what the CPU would answer wrongly for a simulated device."""

    def __init__(self, host: SimulatedHost) -> None:
        super().__init__()
        self.host = host
        host.surface = self

    def is_on(self) -> bool:
        """Whether this mode sees the calls made now; inside its own handler it does not."""
        stack = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
        return any(mode is self for mode in stack)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Answer, or let torch compute."""
        host = self.host
        if this_thread.host is not host:
            return func(*args, **(kwargs or {}))
        kwargs = kwargs or {}
        outer = host.call
        host.call = NOTHING if func in FACTORIES else (args, kwargs)
        try:
            handler = HANDLERS.get(func)
            if handler is not None:
                return handler(host, func, args, kwargs)
            if kwargs.get("device") is not None:
                return moving.create(host, func, args, kwargs)
            if kwargs.get("pin_memory") is True:
                return moving.create(host, func, args, {**kwargs, "device": "cpu"})
            if not types or types == PLAIN:  # subclasses, as UninitializedParameter, go first
                body = body_of(func)
                if body is not None:
                    return self._run(body, args, kwargs)
            result = func(*args, **kwargs)
        finally:
            host.call = outer
        if host.met_scalar:
            host.met_scalar = False
            gradients.return_scalars(host, result, (*args, *kwargs.values()))
        return result

    def _run(self, body: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Run a Python function of torch so that the calls within are seen as well."""
        self.host.call = None
        with self:
            return body(*args, **kwargs)
