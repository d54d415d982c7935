"""The torch side of a worker: warms up, executes one experiment at a time, and guards its GPUs.

Global state that an experiment changes is put back after it. Of the GPUs, the worker sets its
memory limits, reports full memory, and detects a lost CUDA context. A CUDA error that belongs to
the context stays: every later call of the process fails with it, so the process has to end. NVIDIA
documents for each cudaError_t whether it does:
https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html
"""

import ctypes
import gc
import logging
import multiprocessing
import os
import pickle
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import torch

from playground.compute import torch_state, worker_process
from playground.compute.gpu_quota import CONTEXT_LOST, GpuQuota, GpuUnusableError
from playground.compute.settings import Settings
from playground.compute.worker_process import Result, WorkerChannel
from playground.errors import ANSI_CODE, Failure, GpuMemoryError, PlaygroundError
from playground.units import format_bytes

try:
    import resource
except ModuleNotFoundError:  # Windows
    resource = None  # type: ignore[assignment]

PR_SET_PDEATHSIG = 1
LOST_CONTEXT_CODES = frozenset(  # of cudaError_t; ``free_gpu_memory`` finds those missing here
    {3, 4, 46, 100, 201, 214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 999}
)
LOST_CONTEXT_TEXTS = (
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
FULL_MEMORY_TEXTS = ("cuda error: out of memory", "hip error: out of memory", "alloc_failed")
MEMORY_ADVICE = "If reserved but unallocated memory"  # torch's, about environment variables
_log = logging.getLogger(__name__)
_gpu_limits: list[int] = []  # bytes by GPU, in a worker that uses GPUs
_is_warm: list[bool] = []
_channel: list[WorkerChannel] = []


# -- the process ----------------------------------------------------------------------------------


def warm_up_once(*, is_single_threaded: bool) -> None:
    """Take torch's slow first steps, unless the fork server took them for this process."""
    if is_single_threaded:
        use_one_thread()
    if not _is_warm:
        warm_up()
        _is_warm.append(True)


def use_one_thread() -> None:
    """Let the workers share the cores; a process that forks must hold no thread anyway."""
    torch.set_num_threads(1)
    if torch.get_num_interop_threads() != 1:  # it can be set once only
        torch.set_num_interop_threads(1)


def warm_up() -> None:
    """Do once what is slow the first time: a layer, a backward pass, an optimizer, an error."""
    with torch_state.preserve_torch_state():
        net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
        optimizer = torch.optim.Adam(net.parameters())
        net(torch.ones(2, 4)).sum().backward()
        optimizer.step()
        repr(torch.rand(3, 3))
        try:
            torch.ones(2, 3) @ torch.ones(2, 3)
        except RuntimeError as error:
            str(error)


def become_worker(worker_socket: socket.socket) -> None:
    """Make a warm process a worker that ends at once, with the server or on SIGTERM."""
    _channel[:] = [WorkerChannel(worker_socket)]
    gc.freeze()  # the collector, which GPUs call after each task, then looks at new objects only
    # A worker holds nothing that needs cleaning: end also in the middle of a long kernel.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if resource is not None:  # a crash writes no dump: it is slow, and as large as torch
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    worker_process.exit_with_parent()
    _exit_with_fork_server()


def _exit_with_fork_server() -> None:
    """End with the fork server: without it the pool could not detect the end of this process.

    A signal tied to the parent is of no use with spawn: Linux sends it when the parent's *thread*
    ends.
    """
    started_by = multiprocessing.parent_process()
    is_forked = started_by is not None and os.getppid() != started_by.pid
    if sys.platform == "linux" and is_forked:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


# -- one experiment -------------------------------------------------------------------------------


def execute(pickled_settings: bytes, run: int) -> Result:
    """Run one experiment and return its pickled report, or its error.

    Args:
        pickled_settings: The experiment's.
        run: The number under which it sends its progress; 0 where there is no reader.
    """
    name = "?"
    try:
        settings: Settings[Any] = pickle.loads(pickled_settings)  # noqa: S301 - our own server wrote it
        name = type(settings).__name__
        check_quota(settings)
        return _pickle(run_preserved(settings, _make_reporter(run) if run else None))
    except PlaygroundError as error:
        return _make_portable(name, error)
    except BaseException as error:  # noqa: BLE001 - SystemExit too: no experiment ends a worker
        exit_if_context_lost(error)
        return gpu_memory_error(error) or _make_failure(name, error)
    finally:
        free_gpu_memory()
        if run:
            _channel[0].send_end(run)


def run_preserved(
    settings: Settings[Any], report: Callable[[object], None] | None = None
) -> object:
    """Run one experiment in this process and put all global state back."""
    experiment: Callable[..., object] = settings.experiment
    with torch_state.preserve_torch_state():
        return experiment() if report is None else experiment(report)


def _make_reporter(run: int) -> Callable[[object], None]:
    def report_progress(record: object) -> None:
        _channel[0].send(run, _pickle(record))

    return report_progress


def _pickle(value: object) -> bytes:
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def _make_portable(name: str, error: PlaygroundError) -> PlaygroundError | Failure:
    try:
        # A copy: the error itself leads to frames, and they hold the tensors of the experiment.
        copy: PlaygroundError = pickle.loads(pickle.dumps(error))  # noqa: S301 - dumped right here
    except Exception as reason:  # noqa: BLE001 - any value may refuse to be pickled, in its own way
        return _make_failure(name, reason)
    return copy


def _make_failure(name: str, error: BaseException) -> Failure:
    frames: list[str] = []
    reason: BaseException | None = error
    while reason is not None:  # without the errors' texts: they may hold a student's values
        frames = [*traceback.format_tb(reason.__traceback__), *frames]
        reason = reason.__cause__ or reason.__context__
    return Failure(experiment=name, error_type=type(error).__name__, traceback="".join(frames))


# -- GPUs -----------------------------------------------------------------------------------------


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
        _gpu_limits[:] = limits
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
    need, limit = settings.device_bytes(), gpu_limit_bytes()
    if limit is not None and need > limit:
        raise GpuMemoryError("gpu_share", need=format_bytes(need), limit=format_bytes(limit))


def gpu_limit_bytes() -> int | None:
    """Return this worker's smallest limit on a GPU; None without GPUs."""
    return min(_gpu_limits, default=None)


def gpu_memory_error(error: BaseException) -> GpuMemoryError | None:
    """Convert an error that reports full GPU memory; return None for any other one."""
    is_full = isinstance(error, torch.OutOfMemoryError)
    if not is_full and isinstance(error, RuntimeError):
        is_full = any(text in str(error).lower() for text in FULL_MEMORY_TEXTS)
    if not is_full:
        return None
    lines = ANSI_CODE.sub("", str(error)).partition(MEMORY_ADVICE)[0].splitlines()
    return GpuMemoryError("gpu_out_of_memory", text=lines[0].strip() if lines else "")


def exit_if_context_lost(error: BaseException) -> None:
    """End this process if the error, or one that led to it, belongs to the CUDA context."""
    if torch_state.uses_cuda() and any(map(_is_of_context, _error_chain(error))):
        _exit_without_context(error)


def free_gpu_memory() -> None:
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
        _exit_without_context(error)


def _exit_without_context(error: BaseException) -> NoReturn:
    text = str(error).partition("\n")[0]
    _log.error("the CUDA context is lost, so this worker ends: %s: %s", type(error).__name__, text)
    os._exit(CONTEXT_LOST)


def _is_of_context(error: BaseException) -> bool:
    if not isinstance(error, RuntimeError | torch.cuda.DeferredCudaCallError):
        return False
    if isinstance(error, torch.AcceleratorError):
        code = getattr(error, "error_code", None)  # the number of the cudaError_t
        if code is not None:
            return code in LOST_CONTEXT_CODES
    text = str(error).lower()
    is_cuda = "cuda" in text or "hip error" in text or "nvml" in text
    return is_cuda and any(part in text for part in LOST_CONTEXT_TEXTS)


def _error_chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
