"""Puts back PyTorch's global state after a task, so that an experiment may read like a textbook."""

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import torch
from torch import multiprocessing, serialization
from torch.nn.modules import module as module_hooks
from torch.utils import _device as default_device

from playground.compute import process_state

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
def restored() -> Iterator[None]:
    """Within it, code may alter any global setting of torch and of the process.

    Put back afterwards: default device and dtype, modes left active, grad, inference and autocast
    mode, the generators of torch, numpy and random, print options, threads, determinism,
    precisions, backend switches, module hooks, safe globals, denormal numbers, numpy's floating
    point errors, the checks of distributions, and all of ``process_state``.
    """
    keepers: tuple[Callable[[], AbstractContextManager[None]], ...] = (
        process_state.restored,
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
        for keeper in keepers:
            stack.enter_context(keeper())
        yield


@contextmanager
def _grad_modes() -> Iterator[None]:
    grad = torch.is_grad_enabled()
    # The guard also ends a mode that was entered inside and never left.
    with torch.inference_mode(torch.is_inference_mode_enabled()), torch.set_grad_enabled(grad):
        yield


@contextmanager
def _modes() -> Iterator[None]:
    """Keep the function and dispatch modes of this thread; the default device is one of them."""
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
        if len(left) != len(functions) or any(map(_differ, left, functions)):
            for _ in left:
                torch._C._pop_torch_function_stack()
            for mode in functions:
                torch._C._push_on_torch_function_stack(mode)
        torch._GLOBAL_DEVICE_CONTEXT.device_context = context
        default_device.CURRENT_DEVICE = current


def _function_modes() -> list[Any]:
    depth = torch._C._len_torch_function_stack()
    return [torch._C._get_function_stack_at(index) for index in range(depth)]


def _differ(left: object, right: object) -> bool:
    return left is not right


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
    """Keep the current GPU and its generators, where a task has begun to use GPUs."""
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
    """Keep the hooks on all modules, and the classes that ``torch.load`` was told to trust."""
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
    """Keep what becomes of denormal numbers, and what numpy does about floating point errors."""
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
    return math.ldexp(sys.float_info.min, -1) * 1.0 == 0.0  # torch has no question for it


@contextmanager
def _distributions() -> Iterator[None]:
    """Keep whether distributions check their arguments, if somebody has imported them."""
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
    """Keep what has one getter and one setter."""
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
    """Whether this process has begun to use a GPU; asking does not begin it."""
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
