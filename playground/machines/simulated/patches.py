"""Patches of functions that reach CUDA without a torch function, installed once per process.

Each patch reads which simulated host the calling thread is inside, and calls the original where
there is none. A name that other code imported before (``from torch.cuda import is_available``)
keeps the original: write ``torch.cuda.is_available()``.
"""

import functools
import threading
from types import ModuleType
from typing import Any

import torch
import torch.cuda.comm
from torch.autograd.graph import saved_tensors_hooks
from torch.cuda import nvtx
from torch.nn.parallel import comm
from torch.utils._device import DeviceContext, _device_constructors
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter

from playground.machines.simulated import (
    cuda_interface,
    device_transfer,
    function_mode,
    gradients,
)
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import Function, this_thread
from playground.machines.simulated.storages import CPU

COPIES = (
    "broadcast",
    "broadcast_coalesced",
    "reduce_add",
    "reduce_add_coalesced",
    "scatter",
    "gather",
)
REFUSED = (
    (torch, "compile"),
    (torch.export, "export"),
    (torch.export, "draft_export"),
    (torch.jit, "trace"),
    (torch.jit, "trace_module"),
    (torch, "from_dlpack"),
    (torch, "to_dlpack"),
    (torch.utils.dlpack, "to_dlpack"),
    (torch.nn.parallel, "data_parallel"),
    (torch.nn.parallel, "parallel_apply"),
    (torch.nn.parallel, "replicate"),
    *((module, name) for module in (comm, torch.cuda.comm) for name in COPIES),
    *((nvtx, name) for name in ("mark", "range_push", "range_pop", "range_start", "range_end")),
    (torch.cuda, "_sleep"),
    (torch.cuda.jiterator, "_create_jit_fn"),
    (torch.cuda.jiterator, "_create_multi_output_jit_fn"),
)

_lock = threading.Lock()
_installed = False
_originals: dict[str, Function] = {}


def install() -> None:
    """Install all patches, when a simulator is first entered."""
    global _installed
    with _lock:
        if _installed:
            return
        for module, replacements in cuda_interface.REPLACEMENTS:
            for name, replacement in replacements.items():
                if hasattr(module, name):
                    _patch(module, name, replacement)
        _patch(DeviceContext, "__torch_function__", _default_device)
        _patch(saved_tensors_hooks, "__init__", _saved_tensors_hooks)
        _patch(torch.autocast, "__enter__", function_mode.enter_autocast)
        _patch(torch.autocast, "__exit__", function_mode.leave_autocast)
        _patch(torch.autograd, "_make_grads", gradients.make_grads)
        _patch(torch.autograd, "_engine_run_backward", gradients.run_backward)
        _patch(torch.autograd.Function, "apply", gradients.apply_function)
        _patch(torch, "set_default_tensor_type", _default_tensor_type)
        _patch(torch.jit, "script", _script)
        _patch(torch, "range", _range)
        _patch(torch.nested, "nested_tensor", _nested_tensor)
        _patch(torch.nested, "as_nested_tensor", _nested_tensor)
        _patch(torch.backends.cudnn, "is_acceptable", _no_cudnn)
        _patch(_MultiProcessingDataLoaderIter, "__init__", _loader_with_workers)
        for module, name in REFUSED:
            _patch(module, name, functools.partial(_refused, f"{module.__name__}.{name}"))
        device_transfer.patch_storages()
        _installed = True


def real_gpus_are_available() -> bool:
    """Return whether torch can use a real GPU, outside any simulator."""
    return bool(_originals["torch.cuda.is_available"]())


def _patch(owner: ModuleType | type, name: str, replacement: Function) -> None:
    given = vars(owner).get(name)
    is_of_class = isinstance(given, classmethod)
    original = given.__func__ if isinstance(given, classmethod) else getattr(owner, name)
    _originals[f"{owner.__name__}.{name}"] = original

    @functools.wraps(original)
    def patched(*args: Any, **kwargs: Any) -> Any:
        host = this_thread.host
        if host is None:
            return original(*args, **kwargs)
        return replacement(host, original, *args, **kwargs)

    setattr(owner, name, classmethod(patched) if is_of_class else patched)


def _default_device(
    host: Any,
    original: Function,
    context: DeviceContext,
    func: Function,
    types: Any,
    args: Any = (),
    kwargs: Any = None,
) -> Any:
    """Create a tensor on the default device, as if the caller had passed ``device=``."""
    kwargs = kwargs or {}
    if context.device.type == "cuda" and func in _device_constructors():
        if kwargs.get("device") is None and host.target_index is None:
            return device_transfer.create(host, func, args, {**kwargs, "device": context.device})
        return func(*args, **kwargs)
    return original(context, func, types, args, kwargs)


def _saved_tensors_hooks(
    host: Any,
    original: Function,
    hooks: saved_tensors_hooks,
    pack_hook: Function,
    unpack_hook: Function,
) -> None:
    """Enable the function mode in hooks, which autograd calls from C++ functions."""
    original(hooks, host.with_function_mode(pack_hook), host.with_function_mode(unpack_hook))


def _no_cudnn(host: Any, original: Function, tensor: torch.Tensor) -> bool:
    """Return False without the warning of a build without cuDNN; LSTM layers ask here."""
    del host, original, tensor
    return False


def _default_tensor_type(_host: Any, original: Function, kind: Any) -> None:
    """Refuse a CUDA type in this deprecated function."""
    name = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"
    if name.startswith("torch.cuda."):
        raise not_simulated(f"torch.set_default_tensor_type({name})")
    original(kind)


def _range(host: Any, original: Function, *args: Any, **kwargs: Any) -> Any:
    """Create a range on its device: this deprecated function does not reach the mode."""
    if kwargs.get("device") is None:
        return original(*args, **kwargs)
    return device_transfer.create(host, original, args, kwargs)


def _nested_tensor(host: Any, original: Function, given: Any, *args: Any, **kwargs: Any) -> Any:
    parts = given if isinstance(given, list | tuple) else (given,)
    is_there = any(isinstance(part, torch.Tensor) and part.is_cuda for part in parts)
    if is_there or host.resolve(kwargs.get("device")) not in (None, CPU):
        raise not_simulated("nested tensors on a GPU")
    return original(given, *args, **kwargs)


def _script(_host: Any, original: Function, given: Any, *args: Any, **kwargs: Any) -> Any:
    """Refuse all but torch's own formulas, which forward-mode autograd compiles on first use."""
    if not getattr(given, "__module__", "").startswith("torch._decomp"):
        raise not_simulated("torch.jit.script")
    return original(given, *args, **kwargs)


def _refused(what: str, *_: Any, **__: Any) -> None:
    raise not_simulated(what)


def _loader_with_workers(_host: Any, original: Function, iterator: Any, loader: Any) -> None:
    """Refuse pinning beside worker processes: it runs in a thread that is not simulated."""
    if loader.pin_memory:
        iterator._shutdown = True  # nothing was started
        raise not_simulated("DataLoader(num_workers=…, pin_memory=True)")
    original(iterator, loader)
