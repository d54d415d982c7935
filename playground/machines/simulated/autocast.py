"""``torch.autocast("cuda")`` on simulated GPUs: the operations whose tensors CUDA converts.

The lists are those of PyTorch's documentation, *Automatic Mixed Precision*, "CUDA Ops that can
autocast to float16" and "to float32". Operations that promote to the widest type do so here as
there, since PyTorch promotes anyway.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from playground.machines.simulated import function_mode
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import Function
from playground.machines.simulated.storages import CPU, device_index


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


LOWER = words(
    """
    __matmul__ __rmatmul__ addbmm addmm addmv addr baddbmm bmm chain_matmul conv1d conv2d conv3d
    conv_transpose1d conv_transpose2d conv_transpose3d linear matmul mm multi_dot mv prelu
    scaled_dot_product_attention
    """
)
FLOAT32 = words(
    """
    __pow__ __rpow__ __rtruediv__ __rdiv__ acos asin binary_cross_entropy_with_logits cdist cosh
    cosine_embedding_loss cosine_similarity cross_entropy cross_entropy_loss cumprod cumsum dist
    erfinv exp expm1 group_norm hinge_embedding_loss huber_loss kl_div l1_loss layer_norm log log10
    log1p log2 log_softmax margin_ranking_loss mse_loss multi_margin_loss multilabel_margin_loss
    nll_loss nll_loss_nd norm normalize pdist poisson_nll_loss pow prod reciprocal renorm rsqrt sinh
    smooth_l1_loss soft_margin_loss softmax softmin softplus sum tan triplet_margin_loss
    """
)
REFUSED = frozenset(("gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_tanh"))
UNSAFE = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional."
    "binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)
FLOATS = (torch.float32, torch.float16, torch.bfloat16)


class AutocastMode(TorchFunctionMode):
    """Converts tensors on simulated GPUs before an operation."""

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
        if not torch.is_autocast_enabled("cuda") or not _is_on_gpu((*args, *kwargs.values())):
            return func(*args, **kwargs)
        if name in REFUSED:
            raise not_simulated(f"torch.autocast('cuda') of {name}")
        if name == "binary_cross_entropy":
            raise RuntimeError(UNSAFE)
        wanted = self._dtype if name in LOWER else torch.float32 if name in FLOAT32 else None
        if wanted is None:
            body = function_mode.unwrapped(func)
            if body is None:
                return func(*args, **kwargs)
            with self:  # a Python function of torch, which calls others
                return body(*args, **kwargs)
        if name in FLOAT32 and kwargs.get("dtype") is not None:
            return func(*args, **kwargs)
        converted = [_converted(each, wanted) for each in args]
        return func(*converted, **{key: _converted(each, wanted) for key, each in kwargs.items()})


def _is_on_gpu(values: Sequence[Any]) -> bool:
    with torch._C.DisableTorchFunction():
        for value in values:
            parts = value if isinstance(value, list | tuple) else (value,)
            if any(isinstance(each, Tensor) and device_index(each) != CPU for each in parts):
                return True
    return False


def _converted(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, Tensor):
        with torch._C.DisableTorchFunction():
            is_meant = value.dtype in FLOATS and device_index(value) != CPU
        return value.to(dtype) if is_meant else value
    if isinstance(value, list | tuple):
        return type(value)(_converted(each, dtype) for each in value)
    return value


_entered: dict[int, ExitStack] = {}


def enter(_host: Any, original: Callable[..., Any], context: Any) -> Any:
    """Replace ``autocast.__enter__``."""
    entered = original(context)
    if context.device == "cuda" and context._enabled:
        stack = _entered[id(context)] = ExitStack()
        stack.enter_context(AutocastMode(context.fast_dtype))
    return entered


def leave(_host: Any, original: Callable[..., Any], context: Any, *error: Any) -> Any:
    """Replace ``autocast.__exit__``."""
    stack = _entered.pop(id(context), None)
    if stack is not None:
        stack.close()
    return original(context, *error)
