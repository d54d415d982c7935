"""Simulated GPUs: plain PyTorch code uses CUDA devices that are computed on the CPU.

``simulated_gpus`` enters a host with simulated GPUs, and restores torch on exit.

Two of torch's own modes do most of the work. The function mode (``function_mode``) sees every call
of the Python interface and answers those whose result depends on the device: attributes
(``tensor_attributes``), transfers and factories (``device_transfer``), ``.grad`` (``gradients``),
conversion to NumPy, printing. The dispatch mode (``dispatch_mode``) sees every ATen operation below
autograd, in the forward and the backward pass. It compares the devices as CUDA's kernels do
(``same_device``, ``error_messages``), computes on the CPU, and records the device on the storage of
the result (``storages``), which takes memory from the device's ``allocator``. Memory that this
computer does not have is committed on first use.

Code that reaches CUDA in other ways is patched: functions (here, with the replacements of
``cuda_interface``, ``cuda_devices`` and ``streams``) once per process, and classes
(``class_patches``). Patches and modes read ``host.this_thread``, and do what torch does if the
calling thread is not inside a simulator. A name that other code imported before (``from torch.cuda
import is_available``) keeps the original: write ``torch.cuda.is_available()``. ``streams`` also
derives from a program's calls what a GPU would run asynchronously.

Differences from a GPU that are not refused: random numbers are not those of a GPU; a device's
memory has no CUDA context, no workspaces of cuBLAS and cuDNN, and no temporary memory of kernels;
an index out of range is an IndexError, not a device-side assertion; a float tensor on a GPU is also
an instance of ``torch.FloatTensor``; ``torch.version.cuda`` and ``torch.backends`` describe the
installed torch. Everything else that would give a wrong result raises ``NotSimulatedError``.
"""

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

import torch
import torch.cuda.comm
from torch._C import DisableTorchFunction
from torch.autograd.graph import saved_tensors_hooks
from torch.cuda import nvtx
from torch.nn.parallel import comm
from torch.utils._device import DeviceContext, _device_constructors
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter

from playground.errors import InvalidSettingError
from playground.machines.machine import Machine
from playground.machines.simulated import (
    cuda_interface,
    device_transfer,
    function_mode,
    gradients,
)
from playground.machines.simulated.class_patches import patch_classes
from playground.machines.simulated.dispatch_mode import SimulatedDispatchMode
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.function_mode import SimulatedFunctionMode
from playground.machines.simulated.host import Function, SimulatedHost, this_thread, use_host
from playground.machines.simulated.storages import CPU
from playground.units import GIBIBYTE

__all__ = ["outside_simulation", "simulated_gpus"]
VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES"
REFUSED_COPIES = (
    "broadcast",
    "broadcast_coalesced",
    "reduce_add",
    "reduce_add_coalesced",
    "scatter",
    "gather",
)
REFUSED_FUNCTIONS = (
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
    *((module, name) for module in (comm, torch.cuda.comm) for name in REFUSED_COPIES),
    *((nvtx, name) for name in ("mark", "range_push", "range_pop", "range_start", "range_end")),
    (torch.cuda, "_sleep"),
    (torch.cuda.jiterator, "_create_jit_fn"),
    (torch.cuda.jiterator, "_create_multi_output_jit_fn"),
)
_patch_lock = threading.Lock()
_is_patched = False
_originals: dict[str, Function] = {}  # of the patched functions, by their full names


@contextmanager
def simulated_gpus(count: int = 2, memory_gib: float = 8.0) -> Iterator[None]:
    """Give plain PyTorch code in this thread ``count`` CUDA devices, simulated on the CPU.

    Values, autograd and errors are those of PyTorch on CUDA; speed is not. Tensors made inside are
    plain CPU tensors after the block.

    Args:
        count: The number of GPUs; with 0, torch behaves as it does without GPUs.
        memory_gib: The memory of each, GiB.

    Raises:
        InvalidSettingError: ``count`` or ``memory_gib`` is out of bounds.

    >>> with simulated_gpus(2):
    ...     str(torch.ones(2).cuda(1).device)
    'cuda:1'
    """
    _check("count", count, 0, Machine.MAX_GPUS)
    if isinstance(count, float):
        raise InvalidSettingError(
            "bounds", field="count", given=count, least=0, most=Machine.MAX_GPUS
        )
    _check("memory_gib", memory_gib, Machine.MIN_MEMORY_GIB, Machine.MAX_MEMORY_GIB)
    _install_patches()
    with ExitStack() as stack:
        if count == 0 and not _real_gpus_are_available():
            stack.enter_context(use_host(None))  # torch itself gives the errors without GPUs
        else:
            host = SimulatedHost(count, int(memory_gib * GIBIBYTE))
            stack.enter_context(_variable_restored())
            stack.enter_context(_default_device_restored())
            stack.enter_context(patch_classes())
            stack.enter_context(use_host(host))
            stack.enter_context(SimulatedFunctionMode(host))
            stack.enter_context(SimulatedDispatchMode(host))
        yield


@contextmanager
def outside_simulation() -> Iterator[None]:
    """Suspend ``simulated_gpus``: compute as fast as torch alone, without any GPU.

    Values are the same: a tensor on a simulated device is a CPU tensor here.

    >>> with simulated_gpus(2):
    ...     X = torch.ones(2).cuda(1)
    ...     with outside_simulation():
    ...         str(X.device)
    'cpu'
    """
    with use_host(None), DisableTorchFunction(), _disable_current_modes():
        yield


def _check(field: str, given: float, least: float, most: float) -> None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        raise InvalidSettingError("bounds", field=field, given=given, least=least, most=most)


@contextmanager
def _variable_restored() -> Iterator[None]:
    """Unset CUDA_VISIBLE_DEVICES inside: the server hides its own GPUs with it."""
    outer = os.environ.pop(VISIBLE_DEVICES, None)
    try:
        yield
    finally:
        os.environ.pop(VISIBLE_DEVICES, None)
        if outer is not None:
            os.environ[VISIBLE_DEVICES] = outer


@contextmanager
def _default_device_restored() -> Iterator[None]:
    """Undo ``torch.set_default_device`` on exit."""
    local = torch._GLOBAL_DEVICE_CONTEXT
    outer = getattr(local, "device_context", None)
    try:
        yield
    finally:
        if getattr(local, "device_context", None) is not outer:
            torch.set_default_device(None if outer is None else outer.device)


# -- patches of functions -------------------------------------------------------------------------


def _install_patches() -> None:
    """Patch functions and storages, when a simulator is first entered."""
    global _is_patched
    with _patch_lock:
        if _is_patched:
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
        for module, name in REFUSED_FUNCTIONS:
            _patch(module, name, functools.partial(_refuse, f"{module.__name__}.{name}"))
        device_transfer.patch_storages()
        _is_patched = True


def _real_gpus_are_available() -> bool:
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


def _refuse(what: str, *_: Any, **__: Any) -> None:
    raise not_simulated(what)


def _loader_with_workers(_host: Any, original: Function, iterator: Any, loader: Any) -> None:
    """Refuse pinning beside worker processes: it runs in a thread that is not simulated."""
    if loader.pin_memory:
        iterator._shutdown = True  # nothing was started
        raise not_simulated("DataLoader(num_workers=…, pin_memory=True)")
    original(iterator, loader)
