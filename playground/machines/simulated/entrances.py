"""Where code enters CUDA without passing a torch function: dispatchers, installed once per process.

Each asks which simulated host the calling thread is inside, and otherwise calls the original. Names
that other code took before (``from torch.cuda import is_available``) keep the original: import
torch.cuda's functions as ``torch.cuda.…``.
"""

import functools
import threading
from collections.abc import Callable
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
    backward,
    cuda_interface,
    moving,
    storage_interface,
)
from playground.machines.simulated.active import this_thread
from playground.machines.simulated.host import refuse
from playground.machines.simulated.tag import CPU

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
_originals: dict[str, Callable[..., Any]] = {}


def install() -> None:
    """Put the dispatchers in place, the first time a simulator is entered."""
    global _installed
    with _lock:
        if _installed:
            return
        for module, answers in cuda_interface.ANSWERS:
            for name, answer in answers.items():
                if hasattr(module, name):
                    _dispatch(module, name, answer)
        _dispatch(DeviceContext, "__torch_function__", _default_device)
        _dispatch(saved_tensors_hooks, "__init__", _saved_tensors_hooks)
        _dispatch(torch.autocast, "__init__", _autocast)
        _dispatch(torch.autograd, "_make_grads", backward.make_grads)
        _dispatch(torch.autograd, "_engine_run_backward", backward.run)
        _dispatch(torch.autograd.Function, "apply", backward.apply_function)
        _dispatch(torch, "set_default_tensor_type", _default_tensor_type)
        _dispatch(torch.jit, "script", _script)
        _dispatch(torch, "range", _range)
        _dispatch(torch.nested, "nested_tensor", _nested_tensor)
        _dispatch(torch.nested, "as_nested_tensor", _nested_tensor)
        _dispatch(torch.backends.cudnn, "is_acceptable", _no_cudnn)
        _dispatch(_MultiProcessingDataLoaderIter, "__init__", _loader_with_workers)
        for module, name in REFUSED:
            _dispatch(module, name, functools.partial(_refused, f"{module.__name__}.{name}"))
        storage_interface.install()
        _installed = True


def real_gpus_are_available() -> bool:
    """Whether torch itself, without any simulator, can reach a GPU."""
    return bool(_originals["torch.cuda.is_available"]())


def _dispatch(owner: ModuleType | type, name: str, answer: Callable[..., Any]) -> None:
    given = vars(owner).get(name)
    is_of_class = isinstance(given, classmethod)
    original = given.__func__ if isinstance(given, classmethod) else getattr(owner, name)
    _originals[f"{owner.__name__}.{name}"] = original

    @functools.wraps(original)
    def dispatcher(*args: Any, **kwargs: Any) -> Any:
        host = this_thread.host
        if host is None:
            return original(*args, **kwargs)
        return answer(host, original, *args, **kwargs)

    setattr(owner, name, classmethod(dispatcher) if is_of_class else dispatcher)


def _default_device(
    host: Any,
    original: Callable[..., Any],
    context: DeviceContext,
    func: Callable[..., Any],
    types: Any,
    args: Any = (),
    kwargs: Any = None,
) -> Any:
    """A factory under a default device: created there, as if the caller had named it."""
    kwargs = kwargs or {}
    if context.device.type == "cuda" and func in _device_constructors():
        if kwargs.get("device") is None and host.target is None:
            return moving.create(host, func, args, {**kwargs, "device": context.device})
        return func(*args, **kwargs)
    return original(context, func, types, args, kwargs)


def _saved_tensors_hooks(
    host: Any,
    original: Callable[..., Any],
    hooks: saved_tensors_hooks,
    pack_hook: Callable[..., Any],
    unpack_hook: Callable[..., Any],
) -> None:
    """Autograd calls these from within C++ functions, where the surface is off; they need it."""
    original(hooks, host.seeing(pack_hook), host.seeing(unpack_hook))


def _no_cudnn(host: Any, original: Callable[..., Any], tensor: torch.Tensor) -> bool:
    """LSTM layers ask whether cuDNN may take over, and this build would warn that it cannot."""
    del host, original, tensor
    return False


def _autocast(
    host: Any,
    original: Callable[..., Any],
    context: Any,
    device_type: str,
    *args: Any,
    **kwargs: Any,
) -> None:
    """On the CPU it would silently keep float32: refused, unless it is switched off."""
    del host
    enabled = args[1] if len(args) > 1 else kwargs.get("enabled", True)
    if device_type == "cuda" and enabled:
        raise refuse("torch.autocast('cuda')")
    original(context, device_type, *args, **kwargs)


def _default_tensor_type(host: Any, original: Callable[..., Any], kind: Any) -> None:
    """The retired way to a default device; only CPU types are simulated."""
    del host
    name = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"
    if name.startswith("torch.cuda."):
        raise refuse(f"torch.set_default_tensor_type({name})")
    original(kind)


def _range(host: Any, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The retired ``torch.range`` does not ask for torch functions."""
    if kwargs.get("device") is None:
        return original(*args, **kwargs)
    return moving.create(host, original, args, kwargs)


def _nested_tensor(
    host: Any, original: Callable[..., Any], given: Any, *args: Any, **kwargs: Any
) -> Any:
    parts = given if isinstance(given, list | tuple) else (given,)
    is_there = any(isinstance(part, torch.Tensor) and part.is_cuda for part in parts)
    if is_there or host.resolve(kwargs.get("device")) not in (None, CPU):
        raise refuse("nested tensors on a GPU")
    return original(given, *args, **kwargs)


def _script(host: Any, original: Callable[..., Any], given: Any, *args: Any, **kwargs: Any) -> Any:
    """Torch compiles some of its own formulas, when forward-mode derivatives are first wanted."""
    del host
    if not getattr(given, "__module__", "").startswith("torch._decomp"):
        raise refuse("torch.jit.script")
    return original(given, *args, **kwargs)


def _refused(what: str, *_: Any, **__: Any) -> None:
    raise refuse(what)


def _loader_with_workers(
    host: Any, original: Callable[..., Any], iterator: Any, loader: Any
) -> None:
    """With worker processes, pinning happens in another thread, where no device is simulated."""
    del host
    if loader.pin_memory:
        iterator._shutdown = True  # nothing was started, so there is nothing to shut down
        raise refuse("DataLoader(num_workers=…, pin_memory=True)")
    original(iterator, loader)
