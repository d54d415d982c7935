"""The gradient that a tensor keeps, and the hooks that change it on the way."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import texts
from playground.machines.simulated.gradients import copied_to
from playground.machines.simulated.host import SimulatedHost
from playground.machines.simulated.moving import plain_index
from playground.machines.simulated.tag import CPU, device_named

LEFT_BEHIND = "_simulated_left_behind"  # on a gradient's storage: its owner's data went elsewhere
Options = dict[str, Any]


def read(
    host: SimulatedHost, func: Callable[..., Any], args: Sequence[Any], kwargs: Options
) -> Any:
    """``x.grad``: with its owner; it is put right where an edge of the graph was missed."""
    gradient = func(*args, **kwargs)
    if isinstance(gradient, Tensor) and not gradient.is_sparse:
        index = plain_index(args[0])
        if plain_index(gradient) != index and not _was_left_behind(gradient):
            gradient = copied_to(host, gradient, index)
            args[0].grad = gradient
    return gradient


def assign(
    host: SimulatedHost, func: Callable[..., Any], args: Sequence[Any], kwargs: Options
) -> Any:
    """``x.grad = …``: only a gradient of the same device."""
    del host
    owner, gradient = args
    if isinstance(gradient, Tensor):
        mine, its = plain_index(owner), plain_index(gradient)
        if (mine == CPU) != (its == CPU):
            raise texts.gradient_elsewhere(device_named(its).type, device_named(mine).type)
        if mine != its:
            raise texts.gradient_index(its, mine)
    return func(*args, **kwargs)


def set_data(
    host: SimulatedHost, func: Callable[..., Any], args: Sequence[Any], kwargs: Options
) -> Any:
    """``x.data = …``: the gradient stays where it is, also when the data go elsewhere."""
    owner, data = args
    gradient = read(host, Class.grad.__get__, (owner,), {})
    result = func(*args, **kwargs)
    if isinstance(gradient, Tensor) and isinstance(data, Tensor) and not gradient.is_sparse:
        with torch._C.DisableTorchFunction():
            setattr(gradient.untyped_storage(), LEFT_BEHIND, True)
    return result


def register_hook(
    host: SimulatedHost, func: Callable[..., Any], args: Sequence[Any], kwargs: Options
) -> Any:
    """``x.register_hook``: what the hook returns must be where the gradient was."""
    del host
    tensor, hook = args[0], args[1] if len(args) > 1 else kwargs["hook"]

    @functools.wraps(hook)
    def checked(gradient: Tensor) -> Any:
        result = hook(gradient)
        if isinstance(result, Tensor):
            was, got = plain_index(gradient), plain_index(result)
            if (was == CPU) != (got == CPU):
                name = getattr(hook, "__name__", "<unknown>")
                raise texts.hook_moved(name, legacy_type(gradient), legacy_type(result))
        return result

    return func(tensor, checked)


def legacy_type(tensor: Tensor) -> str:
    """Name a type as C++ does, ``CUDAFloatType``."""
    with torch._C.DisableTorchFunction():
        scalar = tensor.type().rpartition(".")[2].removesuffix("Tensor")
    return f"{'CPU' if plain_index(tensor) == CPU else 'CUDA'}{scalar}Type"


def _was_left_behind(gradient: Tensor) -> bool:
    with torch._C.DisableTorchFunction():
        return bool(getattr(gradient.untyped_storage(), LEFT_BEHIND, False))


Class: Any = Tensor
