"""Device transfers and factories: ``to``, ``cuda``, ``cpu``, ``pin_memory`` and ``device=``.

Pinned memory is host memory that a GPU can read directly; here it is an attribute of the storage.
The methods of ``torch.UntypedStorage`` that depend on a device, and the functions that save and
load one, are patched once per process.
"""

from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import error_messages, gradients
from playground.machines.simulated.host import (
    Arguments,
    Function,
    Options,
    SimulatedHost,
    this_thread,
)
from playground.machines.simulated.storages import (
    CPU,
    UNCOMMITTED_ATTRIBUTE,
    commit_storage,
    device_index,
    guarded_device_index,
    storage_index,
    storage_of,
    torch_device,
    type_name,
)

PINNED = "_simulated_pinned"
SERIALIZATION_PRIORITY = 5  # before torch's own CPU (10) and CUDA (20)
_original_clone: Any = torch.UntypedStorage.clone
_original_to: Any = torch.UntypedStorage.to
_original_cpu: Any = torch.UntypedStorage.cpu
_original_item: Any = torch.UntypedStorage.__getitem__
_original_device = torch._C.StorageBase.device  # type: ignore[attr-defined]


def pin_memory(
    host: SimulatedHost, _func: Function, args: Arguments, _kwargs: dict[str, Any]
) -> Any:
    """Handle ``Tensor.pin_memory``."""
    return pin(host, args[0])


def is_pinned(
    _host: SimulatedHost, _func: Function, args: Arguments, _kwargs: dict[str, Any]
) -> bool:
    """Handle ``Tensor.is_pinned``."""
    with torch._C.DisableTorchFunction():
        return bool(getattr(args[0].untyped_storage(), PINNED, False))


def pin(host: SimulatedHost, tensor: Tensor) -> Tensor:
    """Return the tensor itself if it is pinned, else a pinned copy.

    Raises:
        RuntimeError: It is on a GPU.
    """
    host.initialise()
    with torch._C.DisableTorchFunction():
        if device_index(tensor) != CPU:
            raise error_messages.pin_on_gpu(type_name(tensor))
        if getattr(tensor.untyped_storage(), PINNED, False):
            return tensor
    copy = tensor.clone()
    with torch._C.DisableTorchFunction():
        setattr(copy.untyped_storage(), PINNED, True)
    return copy


def place_result(host: SimulatedHost, result: Any, index: int) -> Any:
    """Place a result that no operation has placed."""
    if index != CPU and isinstance(result, Tensor):
        with torch._C.DisableTorchFunction():
            host.place(storage_of(result), index)
    return result


def transfer(
    host: SimulatedHost, tensor: Tensor, index: int, dtype: torch.dtype, options: Options
) -> Any:
    """Return the tensor itself if nothing changes, else a differentiable copy on the device."""
    if tensor.is_meta:
        return tensor.to("cpu")  # torch raises an error: there are no data
    here = guarded_device_index(tensor)
    if here == index:
        return tensor.to(dtype, **options)
    options["copy"] = True
    outer, host.target_index = host.target_index, index
    try:
        moved = tensor.to(dtype, **options)
    finally:
        host.target_index = outer
    if moved.grad_fn is not None:
        gradients.return_gradient_to(host, moved.grad_fn, here)
    return moved


def to(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Handle ``Tensor.to`` with a device, a dtype, both, or another tensor."""
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
        index, dtype = guarded_device_index(other), other.dtype
    elif device is None:
        return func(*args, **kwargs)
    else:
        resolved = host.resolve(device)
        if resolved is None or (resolved == CPU and guarded_device_index(tensor) == CPU):
            return func(*args, **kwargs)  # another device type, or from CPU to CPU
        index = resolved
    options.update(zip(("non_blocking", "copy"), rest, strict=False))
    for name in ("device", "dtype", "other"):
        options.pop(name, None)
    return transfer(host, tensor, index, dtype or tensor.dtype, options)


def cuda(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Handle ``Tensor.cuda``; the default is the current device."""
    tensor, device, options = _one_device(args, kwargs)
    if device is None:
        device = "cuda"
    if not isinstance(device, int) and torch.device(device).type != "cuda":
        return func(*args, **kwargs)  # torch raises the error
    index = host.resolve(device)
    assert index is not None
    return transfer(host, tensor, index, tensor.dtype, options)


def cpu(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Handle ``Tensor.cpu``."""
    tensor = args[0]
    if guarded_device_index(tensor) == CPU:
        return func(*args, **kwargs)
    return transfer(host, tensor, CPU, tensor.dtype, dict(kwargs))


def _one_device(args: Arguments, kwargs: Options) -> tuple[Tensor, Any, Options]:
    options = dict(kwargs)
    device = options.pop("device", None)
    rest = list(args[1:])
    if rest:
        device = rest.pop(0)
    options.update(zip(("non_blocking",), rest, strict=False))
    return args[0], device, options


def create(host: SimulatedHost, func: Function, args: Arguments, kwargs: Options) -> Any:
    """Handle a call with ``device=``: create the tensor on the CPU and place it on that device."""
    index = host.resolve(kwargs["device"])
    if index is None:
        return func(*args, **kwargs)
    options = {**kwargs, "device": torch.device("cpu")}
    if options.pop("pin_memory", False):
        if index != CPU and func is not torch.tensor:
            raise error_messages.pinned_factory()
        if index == CPU:
            return pin(host, func(*args, **options))
    if func in (torch.as_tensor, torch.asarray):  # these would share memory with the CPU
        return _as_tensor(host, func, args, options, index)
    outer, host.target_index = host.target_index, index
    try:
        result = func(*args, **options)
    finally:
        host.target_index = outer
    return place_result(host, result, index)


def _as_tensor(
    host: SimulatedHost, func: Function, args: Arguments, options: Options, index: int
) -> Any:
    given = args[0] if args else None
    if isinstance(given, Tensor):
        dtype = options.get("dtype") or given.dtype
        return transfer(host, given, index, dtype, {"copy": True} if options.get("copy") else {})
    result = func(*args, **options)
    return result if index == CPU else transfer(host, result, index, result.dtype, {})


def type_as(host: SimulatedHost, _func: Function, args: Arguments, kwargs: Options) -> Any:
    """Handle ``Tensor.type_as``, which changes the device too."""
    other = args[1] if len(args) > 1 else kwargs["other"]
    return transfer(host, args[0], guarded_device_index(other), other.dtype, {})


# -- methods of storages, and the files that they are saved in ------------------------------------


def patch_storages() -> None:
    """Let storages, and the files that they are saved in, report simulated devices."""
    setattr(torch.UntypedStorage, "device", property(_storage_device))  # noqa: B010 - read-only type
    setattr(torch.UntypedStorage, "clone", _storage_clone)  # noqa: B010 - likewise
    setattr(torch.UntypedStorage, "to", _storage_to)  # noqa: B010 - likewise; ``cuda`` calls it
    setattr(torch.UntypedStorage, "cpu", _storage_cpu)  # noqa: B010 - likewise
    setattr(torch.UntypedStorage, "__getitem__", _storage_item)  # noqa: B010 - likewise
    torch.serialization.register_package(
        SERIALIZATION_PRIORITY, _storage_location, _restore_storage
    )


def _storage_device(storage: torch.UntypedStorage) -> torch.device:
    if this_thread.host is not None:
        index = storage_index(storage)
        if index != CPU:
            return torch_device(index)
    device: torch.device = _original_device.__get__(storage)
    return device


def _storage_clone(storage: Any) -> Any:
    """Copy a storage on its device; ``copy.deepcopy`` of a tensor calls this."""
    host = this_thread.host
    index = CPU if host is None else storage_index(storage)
    if host is None or index == CPU:
        return _original_clone(storage)
    return _copy_storage(host, storage, index)


def _storage_to(storage: Any, *, device: Any, non_blocking: bool = False) -> Any:
    """Copy a storage to a device, as ``map_location=lambda storage, _: storage.cuda()`` does."""
    host = this_thread.host
    here = storage_index(storage)
    index = None if host is None else host.resolve(device)
    if host is None or index is None or (here == CPU and index == CPU):
        return _original_to(storage, device=device, non_blocking=non_blocking)
    return storage if here == index else _copy_storage(host, storage, index)


def _storage_cpu(storage: Any) -> Any:
    host = this_thread.host
    if host is None or storage_index(storage) == CPU:
        return _original_cpu(storage)
    return _copy_storage(host, storage, CPU)


def _storage_item(storage: Any, index: Any) -> Any:
    if hasattr(storage, UNCOMMITTED_ATTRIBUTE):
        commit_storage(storage)
    return _original_item(storage, index)


def _copy_storage(host: SimulatedHost, storage: Any, index: int) -> Any:
    copy: Any = torch.UntypedStorage(storage.nbytes())  # type: ignore[no-untyped-call]
    copy.copy_(storage)
    host.place(copy, index)
    return copy


def _storage_location(storage: Any) -> str | None:
    if this_thread.host is None:
        return None
    index = storage_index(getattr(storage, "_untyped_storage", storage))
    return None if index == CPU else str(torch_device(index))


def _restore_storage(storage: Any, location: str) -> Any:
    """Put a loaded storage on the device of the file, or of ``map_location``."""
    host = this_thread.host
    if host is None or not location.startswith("cuda"):
        return None
    validate: Any = torch.serialization._validate_device
    device = validate(location, "cuda")  # torch raises the errors
    host.place(getattr(storage, "_untyped_storage", storage), host.resolve(device) or 0)
    return storage
