"""The torch side of a worker: warms up, then executes one experiment at a time.

Global state that an experiment changes is put back after it.
"""

import ctypes
import gc
import multiprocessing
import os
import pickle
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any

import torch

from playground.compute import gpu_process, worker_process
from playground.compute.channel import WorkerEnd
from playground.compute.settings import Settings
from playground.compute.torch_state import preserve_torch_state
from playground.compute.worker_process import Result
from playground.errors import Failure, PlaygroundError

try:
    import resource
except ModuleNotFoundError:  # Windows
    resource = None  # type: ignore[assignment]

PR_SET_PDEATHSIG = 1
_is_warm: list[bool] = []
_channel: list[WorkerEnd] = []


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
    with preserve_torch_state():
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
    _channel[:] = [WorkerEnd(worker_socket)]
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
        gpu_process.check_quota(settings)
        return _pickle(run_preserved(settings, _make_reporter(run) if run else None))
    except PlaygroundError as error:
        return _make_portable(name, error)
    except BaseException as error:  # noqa: BLE001 - SystemExit too: no experiment ends a worker
        gpu_process.exit_if_lost(error)
        return gpu_process.memory_error(error) or _make_failure(name, error)
    finally:
        gpu_process.free_memory()
        if run:
            _channel[0].send_end(run)


def run_preserved(
    settings: Settings[Any], report: Callable[[object], None] | None = None
) -> object:
    """Run one experiment in this process and put all global state back."""
    experiment: Callable[..., object] = settings.experiment
    with preserve_torch_state():
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
