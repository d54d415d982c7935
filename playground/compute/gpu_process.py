"""GPUs in a worker's own process: its memory limits, full memory, lost CUDA contexts.

A CUDA error that belongs to the context stays: every later call of the process fails with it, so
the process has to end. NVIDIA documents for each cudaError_t whether it does:
https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html
"""

import gc
import logging
import os
from collections.abc import Iterator
from typing import Any, NoReturn

import torch

from playground.compute import torch_state
from playground.compute.gpu_quota import CONTEXT_LOST, GpuQuota, GpuUnusableError
from playground.compute.settings import Settings
from playground.errors import ANSI_CODE, GpuMemoryError
from playground.units import format_bytes

LOST_CODES = frozenset(  # of cudaError_t; ``free_memory`` finds those that are missing here
    {3, 4, 46, 100, 201, 214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 999}
)
LOST_TEXTS = (
    "device-side assert",
    "illegal memory access",
    "unspecified launch failure",
    "illegal instruction",
    "misaligned address",
    "invalid program counter",
    "operation not supported on global/shared address space",
    "hardware stack error",
    "launch timed out",
    "uncorrectable ecc error",
    "uncorrectable nvlink error",
    "context is destroyed",
    "no cuda-capable device is detected",
    "busy or unavailable",
    "driver shutting down",
    "initialization error",
    "cuda error: unknown error",
    "gpu is lost",
    "device lost",
    "xid",
)
FULL_TEXTS = ("cuda error: out of memory", "hip error: out of memory", "alloc_failed")
ADVICE = "If reserved but unallocated memory"  # torch's, about environment variables
_log = logging.getLogger(__name__)
_limits: list[int] = []  # bytes by GPU, in a worker that uses GPUs


def apply_quota(quota: GpuQuota) -> None:
    """Limit this process to its quota, and let every GPU compute once.

    Raises:
        GpuUnusableError: A GPU does not compute, or is missing.
    """
    if not quota.expects_cuda:
        return
    try:
        count = torch.cuda.device_count()
        if count < max(1, len(quota.limits)):
            raise GpuUnusableError(f"CUDA has {count} GPUs, not {max(1, len(quota.limits))}")
        limits = []
        for index in range(count):
            # In a guard: an allocator may make the GPU whose fraction it sets the current one.
            with torch.cuda.device(index):
                total = torch.cuda.get_device_properties(index).total_memory
                limits.append(quota.limit_bytes(index, total))
                torch.cuda.set_per_process_memory_fraction(limits[-1] / total, index)
                run_kernel(index)
        _limits[:] = limits
    except GpuUnusableError:
        raise
    except Exception as error:  # noqa: BLE001 - a driver refuses with any type
        raise GpuUnusableError(f"{type(error).__name__}: {error}") from None


def run_kernel(index: int) -> None:
    """Let a GPU compute something; where it cannot, CUDA raises the reason."""
    torch.ones(8, device=f"cuda:{index}").sum().item()


def check_quota(settings: Settings[Any]) -> None:
    """Refuse an experiment that asks for more than this worker may take, before it takes any.

    Raises:
        GpuMemoryError: ``gpu_share``.
    """
    need, limit = settings.device_bytes(), limit_bytes()
    if limit is not None and need > limit:
        raise GpuMemoryError("gpu_share", need=format_bytes(need), limit=format_bytes(limit))


def limit_bytes() -> int | None:
    """Return this worker's smallest limit on a GPU; None without GPUs."""
    return min(_limits, default=None)


def memory_error(error: BaseException) -> GpuMemoryError | None:
    """Convert an error that reports full GPU memory; return None for any other one."""
    is_full = isinstance(error, torch.OutOfMemoryError)
    if not is_full and isinstance(error, RuntimeError):
        is_full = any(text in str(error).lower() for text in FULL_TEXTS)
    if not is_full:
        return None
    lines = ANSI_CODE.sub("", str(error)).partition(ADVICE)[0].splitlines()
    return GpuMemoryError("gpu_out_of_memory", text=lines[0].strip() if lines else "")


def exit_if_lost(error: BaseException) -> None:
    """End this process if the error, or one that led to it, belongs to the CUDA context."""
    if torch_state.uses_cuda() and any(map(_is_of_context, _chain(error))):
        _exit(error)


def free_memory() -> None:
    """Free the GPU memory that a task left; end this process if its CUDA context is lost.

    After an illegal access or a failed kernel every further CUDA call fails, here at the latest:
    also where the experiment caught torch's error.
    """
    if not torch_state.uses_cuda():
        return
    try:
        for index in range(torch.cuda.device_count()):
            torch.cuda.synchronize(index)
        gc.collect()
        torch.cuda.empty_cache()
    except RuntimeError as error:
        _exit(error)


def _exit(error: BaseException) -> NoReturn:
    text = str(error).partition("\n")[0]
    _log.error("the CUDA context is lost, so this worker ends: %s: %s", type(error).__name__, text)
    os._exit(CONTEXT_LOST)


def _is_of_context(error: BaseException) -> bool:
    if not isinstance(error, RuntimeError | torch.cuda.DeferredCudaCallError):
        return False
    if isinstance(error, torch.AcceleratorError):
        code = getattr(error, "error_code", None)  # the number of the cudaError_t
        if code is not None:
            return code in LOST_CODES
    text = str(error).lower()
    is_cuda = "cuda" in text or "hip error" in text or "nvml" in text
    return is_cuda and any(part in text for part in LOST_TEXTS)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
