"""Moving and creating: ``to``, ``cuda``, ``cpu`` and ``device=``, however the device is named."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import gradients, pinning, texts
from playground.machines.simulated.host import SimulatedHost
from playground.machines.simulated.tag import CPU, index_of, storage_of

Arguments = Sequence[Any]
Options = dict[str, Any]


def plain_index(tensor: Tensor) -> int:
    """Tell where a tensor lives, from code in which torch functions may be on."""
    with torch._C.DisableTorchFunction():
        return index_of(tensor)


def settle(host: SimulatedHost, result: Any, index: int) -> Any:
    """Give a result its place, where no operation has yet."""
    if index != CPU and isinstance(result, Tensor):
        with torch._C.DisableTorchFunction():
            host.place(storage_of(result), index)
    return result


def move(
    host: SimulatedHost, tensor: Tensor, index: int, dtype: torch.dtype, options: Options
) -> Any:
    """Return the tensor on a device: itself if nothing changes, else a differentiable copy."""
    if tensor.is_meta:
        return tensor.to("cpu")  # torch refuses: there are no data
    here = plain_index(tensor)
    if here == index:
        return tensor.to(dtype, **options)
    options["copy"] = True
    outer, host.target = host.target, index
    try:
        moved = tensor.to(dtype, **options)
    finally:
        host.target = outer
    if moved.grad_fn is not None:
        gradients.return_to(host, moved.grad_fn, here)
    return moved


def to(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    """``Tensor.to``, with a device, a dtype, both, or another tensor."""
    tensor, *rest = args
    device, dtype, options = kwargs.get("device"), kwargs.get("dtype"), dict(kwargs)
    other = kwargs.get("other")
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    elif rest and isinstance(rest[0], torch.dtype):
        dtype = rest.pop(0)
    elif rest:
        device = rest.pop(0)
        if rest:
            dtype = rest.pop(0)
    if other is not None and not other.is_meta:
        index, dtype = plain_index(other), other.dtype
    elif device is None:
        return func(*args, **kwargs)
    else:
        resolved = host.resolve(device)
        if resolved is None or (resolved == CPU and plain_index(tensor) == CPU):
            return func(*args, **kwargs)  # meta and the like; or nothing to do with GPUs
        index = resolved
    options.update(zip(("non_blocking", "copy"), rest, strict=False))
    for name in ("device", "dtype", "other"):
        options.pop(name, None)
    return move(host, tensor, index, dtype or tensor.dtype, options)


def cuda(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    """``Tensor.cuda``; without a device it means the current one."""
    tensor, device, options = _one_device(args, kwargs)
    if device is None:
        device = "cuda"
    if not isinstance(device, int) and torch.device(device).type != "cuda":
        return func(*args, **kwargs)  # torch words this refusal
    index = host.resolve(device)
    assert index is not None
    return move(host, tensor, index, tensor.dtype, options)


def cpu(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    """``Tensor.cpu``."""
    tensor = args[0]
    if plain_index(tensor) == CPU:
        return func(*args, **kwargs)
    return move(host, tensor, CPU, tensor.dtype, dict(kwargs))


def _one_device(args: Arguments, kwargs: Options) -> tuple[Tensor, Any, Options]:
    options = dict(kwargs)
    device = options.pop("device", None)
    rest = list(args[1:])
    if rest:
        device = rest.pop(0)
    options.update(zip(("non_blocking",), rest, strict=False))
    return args[0], device, options


def create(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    """Any call with ``device=``: created on the CPU, living on the device that was named."""
    index = host.resolve(kwargs["device"])
    if index is None:
        return func(*args, **kwargs)
    options = {**kwargs, "device": torch.device("cpu")}
    if options.pop("pin_memory", False):
        if index != CPU and func is not torch.tensor:
            raise texts.pinned_factory()
        if index == CPU:
            return pinning.pinned(host, func(*args, **options))
    if func in (torch.as_tensor, torch.asarray):  # these would share memory with the CPU
        return _as_tensor(host, func, args, options, index)
    outer, host.target = host.target, index
    try:
        result = func(*args, **options)
    finally:
        host.target = outer
    return settle(host, result, index)


def _as_tensor(
    host: SimulatedHost, func: Callable[..., Any], args: Arguments, options: Options, index: int
) -> Any:
    given = args[0] if args else None
    if isinstance(given, Tensor):
        dtype = options.get("dtype") or given.dtype
        return move(host, given, index, dtype, {"copy": True} if options.get("copy") else {})
    result = func(*args, **options)
    return result if index == CPU else move(host, result, index, result.dtype, {})


def type_as(host: SimulatedHost, func: Callable[..., Any], args: Arguments, kwargs: Options) -> Any:
    """``Tensor.type_as`` takes over the device too."""
    del func
    other = args[1] if len(args) > 1 else kwargs["other"]
    return move(host, args[0], plain_index(other), other.dtype, {})
