"""Restores the global state of PyTorch and of the process after an experiment.

So an experiment may change defaults, seeds and switches, as the code of a textbook does.
"""

import gc
import math
import operator
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Any

import torch
from torch import multiprocessing, serialization
from torch.nn.modules import module as module_hooks
from torch.utils import _device as default_device

AUTOCAST_DEVICES = ("cpu", "cuda")
DISTRIBUTION = "torch.distributions.distribution"
PRECISIONS = tuple(
    (backend, operation)
    for backend, operations in {
        "generic": ("all",),
        "cuda": ("all", "matmul", "conv", "rnn"),
        "mkldnn": ("all", "matmul", "conv", "rnn"),
    }.items()
    for operation in operations
)


@contextmanager
def preserve_torch_state() -> Iterator[None]:
    """Put every global setting of torch and of the process back afterwards.

    That is: default device and dtype, modes left active, grad, inference and autocast
    mode, the generators of torch, numpy and random, print options, threads, determinism,
    precisions, backend switches, module hooks, safe globals, denormal numbers, numpy's floating
    point errors, the checks of distributions, and all of ``preserve_process_state``.
    """
    preservers: tuple[Callable[[], AbstractContextManager[None]], ...] = (
        preserve_process_state,
        _switches,
        _precisions,
        _arithmetic,
        _distributions,
        _hooks,
        _printing,
        _randomness,
        _cuda,
        _autocast,
        _modes,
        _grad_modes,
    )
    with ExitStack() as stack:
        for preserve in preservers:
            stack.enter_context(preserve())
        yield


@contextmanager
def preserve_process_state() -> Iterator[None]:
    """Put the process back afterwards: environment, folder, warnings, random, streams, path."""
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        for preserve in (_environment, _folder, _python_random, _interpreter):
            stack.enter_context(preserve())
        yield


@contextmanager
def _environment() -> Iterator[None]:
    before = dict(os.environ)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        for name, value in before.items():
            if os.environ.get(name) != value:
                os.environ[name] = value


@contextmanager
def _folder() -> Iterator[None]:
    before = None
    with suppress(OSError):  # the folder was removed: there is nothing to go back to
        before = os.open(".", os.O_RDONLY) if hasattr(os, "fchdir") else os.getcwd()  # noqa: PTH109
    try:
        yield
    finally:
        if isinstance(before, int):
            os.fchdir(before)
            os.close(before)
        elif before is not None:
            os.chdir(before)


@contextmanager
def _python_random() -> Iterator[None]:
    before = random.getstate()
    try:
        yield
    finally:
        random.setstate(before)


@contextmanager
def _interpreter() -> Iterator[None]:
    streams = sys.stdin, sys.stdout, sys.stderr
    path, depth, collects = list(sys.path), sys.getrecursionlimit(), gc.isenabled()
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.path[:] = path
        sys.setrecursionlimit(depth)
        if collects:
            gc.enable()
        else:
            gc.disable()


@contextmanager
def _grad_modes() -> Iterator[None]:
    grad = torch.is_grad_enabled()
    # The guard also ends a mode that was entered inside and never left.
    with torch.inference_mode(torch.is_inference_mode_enabled()), torch.set_grad_enabled(grad):
        yield


@contextmanager
def _modes() -> Iterator[None]:
    """Preserve the function and dispatch modes of this thread, such as the default device."""
    functions = _function_modes()
    dispatch_depth = torch._C._len_torch_dispatch_stack()
    context = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    current = default_device.CURRENT_DEVICE
    try:
        yield
    finally:
        while torch._C._len_torch_dispatch_stack() > dispatch_depth:
            torch._C._pop_torch_dispatch_stack()
        left = _function_modes()
        if len(left) != len(functions) or any(map(operator.is_not, left, functions)):
            for _ in left:
                torch._C._pop_torch_function_stack()
            for mode in functions:
                torch._C._push_on_torch_function_stack(mode)
        torch._GLOBAL_DEVICE_CONTEXT.device_context = context
        default_device.CURRENT_DEVICE = current


def _function_modes() -> list[Any]:
    depth = torch._C._len_torch_function_stack()
    return [torch._C._get_function_stack_at(index) for index in range(depth)]


@contextmanager
def _autocast() -> Iterator[None]:
    before = [
        (name, torch.is_autocast_enabled(name), torch.get_autocast_dtype(name))
        for name in AUTOCAST_DEVICES
    ]
    caches = torch.is_autocast_cache_enabled()
    try:
        yield
    finally:
        for name, enabled, dtype in before:
            torch.set_autocast_enabled(name, enabled)
            torch.set_autocast_dtype(name, dtype)
        torch.set_autocast_cache_enabled(caches)
        torch.clear_autocast_cache()


@contextmanager
def _randomness() -> Iterator[None]:
    numpy = sys.modules.get("numpy")
    state = torch.get_rng_state()
    numpy_state = numpy.random.get_state() if numpy else None
    try:
        yield
    finally:
        torch.set_rng_state(state)
        if numpy and numpy_state is not None:
            numpy.random.set_state(numpy_state)


@contextmanager
def _cuda() -> Iterator[None]:
    """Preserve the current GPU and its generators, where a task has begun to use GPUs."""
    states = torch.cuda.get_rng_state_all() if uses_cuda() else None
    device = torch.cuda.current_device() if uses_cuda() else 0
    try:
        yield
    finally:
        if uses_cuda():
            torch.cuda.set_device(device)
        if states is not None:
            torch.cuda.set_rng_state_all(states)


@contextmanager
def _printing() -> Iterator[None]:
    options = torch._tensor_str.PRINT_OPTS
    before = dict(vars(options))
    numpy = sys.modules.get("numpy")
    numpy_before = numpy.get_printoptions() if numpy else None
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(options, name, value)
        if numpy and numpy_before is not None:
            numpy.set_printoptions(**numpy_before)


@contextmanager
def _hooks() -> Iterator[None]:
    """Preserve the hooks on all modules, and the safe globals of ``torch.load``."""
    names = [name for name in dir(module_hooks) if name.startswith("_global_")]
    before = {name: getattr(module_hooks, name) for name in names}
    contents = {name: dict(value) for name, value in before.items() if isinstance(value, dict)}
    trusted = serialization.get_safe_globals()
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module_hooks, name, value)
            if name in contents:
                value.clear()
                value.update(contents[name])
        serialization.clear_safe_globals()
        serialization.add_safe_globals(trusted)


@contextmanager
def _precisions() -> Iterator[None]:
    matmul = torch.get_float32_matmul_precision()
    convolutions = torch._C._get_cudnn_allow_tf32()
    before = [(key, torch._C._get_fp32_precision_getter(*key)) for key in PRECISIONS]
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(matmul)  # both also set some of the following
        torch._C._set_cudnn_allow_tf32(convolutions)  # its getter raises where it differs from them
        for key, value in before:
            torch._C._set_fp32_precision_setter(*key, value)


@contextmanager
def _arithmetic() -> Iterator[None]:
    """Preserve the flushing of denormal numbers, and numpy's floating point errors."""
    numpy = sys.modules.get("numpy")
    numpy_before = numpy.geterr() if numpy else None
    flushes = _flushes_denormals()
    try:
        yield
    finally:
        torch.set_flush_denormal(flushes)
        if numpy and numpy_before is not None:
            numpy.seterr(**numpy_before)


def _flushes_denormals() -> bool:
    return math.ldexp(sys.float_info.min, -1) * 1.0 == 0.0  # torch has no getter for it


@contextmanager
def _distributions() -> Iterator[None]:
    """Preserve whether distributions check their arguments, if they are imported."""
    before = _distribution_checks()
    try:
        yield
    finally:
        loaded: Any = sys.modules.get(DISTRIBUTION)
        if loaded is not None:
            loaded.Distribution.set_default_validate_args(__debug__ if before is None else before)


def _distribution_checks() -> bool | None:
    loaded: Any = sys.modules.get(DISTRIBUTION)
    return None if loaded is None else loaded.Distribution._validate_args


@contextmanager
def _switches() -> Iterator[None]:
    """Preserve the settings of ``_SWITCHES``, each with one getter and one setter."""
    before = [(put, get()) for get, put in _SWITCHES]
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    deterministic = torch.are_deterministic_algorithms_enabled()
    checks_nan = torch.is_anomaly_check_nan_enabled()
    anomaly = torch.is_anomaly_enabled()
    try:
        yield
    finally:
        # Not torch.use_deterministic_algorithms: it imports the compiler, which takes seconds.
        torch._C._set_deterministic_algorithms(deterministic, warn_only=warn_only)
        compiler: Any = sys.modules.get("torch._inductor.config")
        if compiler is not None:
            compiler.deterministic = deterministic
        torch.autograd.set_detect_anomaly(anomaly, checks_nan)
        for put, value in before:
            put(value)


def uses_cuda() -> bool:
    """Return whether this process has begun to use a GPU; asking does not begin it."""
    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]


_SWITCHES: tuple[tuple[Callable[[], Any], Callable[[Any], object]], ...] = (
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.get_num_threads, torch.set_num_threads),
    (torch.is_warn_always_enabled, torch.set_warn_always),
    (
        torch._C._get_deterministic_fill_uninitialized_memory,
        torch._C._set_deterministic_fill_uninitialized_memory,
    ),
    (
        torch.__future__.get_overwrite_module_params_on_conversion,
        torch.__future__.set_overwrite_module_params_on_conversion,
    ),
    (
        torch.__future__.get_swap_module_params_on_conversion,
        torch.__future__.set_swap_module_params_on_conversion,
    ),
    (torch._C._check_sparse_tensor_invariants, torch._C._set_check_sparse_tensor_invariants),
    (torch._C._get_cudnn_enabled, torch._C._set_cudnn_enabled),
    (torch._C._get_cudnn_benchmark, torch._C._set_cudnn_benchmark),
    (torch._C._get_cudnn_deterministic, torch._C._set_cudnn_deterministic),
    (torch._C._get_flash_sdp_enabled, torch._C._set_sdp_use_flash),
    (torch._C._get_mem_efficient_sdp_enabled, torch._C._set_sdp_use_mem_efficient),
    (torch._C._get_math_sdp_enabled, torch._C._set_sdp_use_math),
    (torch._C._get_cudnn_sdp_enabled, torch._C._set_sdp_use_cudnn),
    (
        torch._C._get_math_sdp_allow_fp16_bf16_reduction,
        torch._C._set_math_sdp_allow_fp16_bf16_reduction,
    ),
    (torch._C._jit_llga_enabled, torch._C._jit_set_llga_enabled),
    (multiprocessing.get_sharing_strategy, multiprocessing.set_sharing_strategy),
    (torch._C._get_mkldnn_enabled, torch._C._set_mkldnn_enabled),
    (torch._C._get_nnpack_enabled, torch._C._set_nnpack_enabled),
)
