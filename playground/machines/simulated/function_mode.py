"""The function modes: they see calls of torch's Python interface first.

``SimulatedFunctionMode`` sees every call. Device attributes, moves, factories and conversions to
NumPy are answered here; all other calls run, and ``dispatch_mode`` checks and places their tensors.

``F.cross_entropy`` and hundreds of other functions begin with ``if has_torch_function(…): return
handle_torch_function(…)``. That passes the whole call to the mode, which is off inside it. The mode
therefore runs a copy of such a function in which ``has_torch_function`` returns False, and sees
every call that the copy makes.

``AutocastMode`` is entered with ``torch.autocast("cuda")``. Its lists of operations are those of
PyTorch's documentation, *Automatic Mixed Precision*, "CUDA Ops that can autocast to float16" and
"to float32". Operations that promote to the widest type do so here as there, since PyTorch promotes
anyway.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

from playground.machines.simulated import (
    device_transfer,
    gradients,
    tensor_attributes,
)
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import (
    Arguments,
    Function,
    Options,
    SimulatedHost,
    this_thread,
)
from playground.machines.simulated.storages import CPU, device_index

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


# -- autocast -------------------------------------------------------------------------------------


def _words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


AUTOCAST_LOWER = _words(
    """
    __matmul__ __rmatmul__ addbmm addmm addmv addr baddbmm bmm chain_matmul conv1d conv2d conv3d
    conv_transpose1d conv_transpose2d conv_transpose3d linear matmul mm multi_dot mv prelu
    scaled_dot_product_attention
    """
)
AUTOCAST_FLOAT32 = _words(
    """
    __pow__ __rpow__ __rtruediv__ __rdiv__ acos asin binary_cross_entropy_with_logits cdist cosh
    cosine_embedding_loss cosine_similarity cross_entropy cross_entropy_loss cumprod cumsum dist
    erfinv exp expm1 group_norm hinge_embedding_loss huber_loss kl_div l1_loss layer_norm log log10
    log1p log2 log_softmax margin_ranking_loss mse_loss multi_margin_loss multilabel_margin_loss
    nll_loss nll_loss_nd norm normalize pdist poisson_nll_loss pow prod reciprocal renorm rsqrt sinh
    smooth_l1_loss soft_margin_loss softmax softmin softplus sum tan triplet_margin_loss
    """
)
AUTOCAST_REFUSED = frozenset(("gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_tanh"))
UNSAFE_TO_AUTOCAST = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional."
    "binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)
AUTOCAST_FLOATS = (torch.float32, torch.float16, torch.bfloat16)
_entered_autocasts: dict[int, ExitStack] = {}  # by the id of the context


class AutocastMode(TorchFunctionMode):
    """Converts tensors on simulated GPUs before an operation, as ``torch.autocast`` does."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self._dtype = dtype

    def __torch_function__(
        self,
        func: Function,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if not torch.is_autocast_enabled("cuda") or not _is_any_on_gpu((*args, *kwargs.values())):
            return func(*args, **kwargs)
        if name in AUTOCAST_REFUSED:
            raise not_simulated(f"torch.autocast('cuda') of {name}")
        if name == "binary_cross_entropy":
            raise RuntimeError(UNSAFE_TO_AUTOCAST)
        float32 = torch.float32 if name in AUTOCAST_FLOAT32 else None
        wanted = self._dtype if name in AUTOCAST_LOWER else float32
        if wanted is None:
            body = unwrapped(func)
            if body is None:
                return func(*args, **kwargs)
            with self:  # a Python function of torch, which calls others
                return body(*args, **kwargs)
        if name in AUTOCAST_FLOAT32 and kwargs.get("dtype") is not None:
            return func(*args, **kwargs)
        converted = [_converted(each, wanted) for each in args]
        return func(*converted, **{key: _converted(each, wanted) for key, each in kwargs.items()})


def _is_any_on_gpu(values: Sequence[Any]) -> bool:
    with torch._C.DisableTorchFunction():
        for value in values:
            parts = value if isinstance(value, list | tuple) else (value,)
            if any(isinstance(each, Tensor) and device_index(each) != CPU for each in parts):
                return True
    return False


def _converted(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, Tensor):
        with torch._C.DisableTorchFunction():
            is_meant = value.dtype in AUTOCAST_FLOATS and device_index(value) != CPU
        return value.to(dtype) if is_meant else value
    if isinstance(value, list | tuple):
        return type(value)(_converted(each, dtype) for each in value)
    return value


def enter_autocast(_host: Any, original: Callable[..., Any], context: Any) -> Any:
    """Replace ``autocast.__enter__``."""
    entered = original(context)
    if context.device == "cuda" and context._enabled:
        stack = _entered_autocasts[id(context)] = ExitStack()
        stack.enter_context(AutocastMode(context.fast_dtype))
    return entered


def leave_autocast(_host: Any, original: Callable[..., Any], context: Any, *error: Any) -> Any:
    """Replace ``autocast.__exit__``."""
    stack = _entered_autocasts.pop(id(context), None)
    if stack is not None:
        stack.close()
    return original(context, *error)
