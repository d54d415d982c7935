"""The torch side of a worker: prepares the process, executes one task at a time.

What an experiment changes globally is put back after it.
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

from playground.compute import gpu_process, parent, torch_state, warm_up
from playground.compute.answer import Answer, Failure
from playground.compute.channel import WorkerEnd
from playground.compute.settings import Settings
from playground.errors import PlaygroundError

try:
    import resource
except ModuleNotFoundError:  # Windows
    resource = None  # type: ignore[assignment]

PR_SET_PDEATHSIG = 1
_is_warm: list[bool] = []
_channel: list[WorkerEnd] = []


def warm_up_once(*, is_single_threaded: bool) -> None:
    """Take torch's slow first steps, unless the fork server took them for this process."""
    if is_single_threaded:
        warm_up.keep_to_one_thread()
    if not _is_warm:
        warm_up.warm_up()
        _is_warm.append(True)


def become_worker(end: socket.socket) -> None:
    """Make a warm process a worker that ends at once, with the server or when it is told to."""
    _channel[:] = [WorkerEnd(end)]
    gc.freeze()  # the collector, which GPUs call after each task, then looks at what is new alone
    # A worker holds nothing that needs cleaning: end also in the middle of a long kernel.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if resource is not None:  # a crash writes no dump: it is slow, and as large as torch
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    parent.end_with_it()
    _end_with_fork_server()


def execute(pickled_settings: bytes, run: int) -> Answer:
    """Run one experiment, and answer with its pickled report or with what went wrong.

    Args:
        pickled_settings: The experiment's.
        run: Under which number it tells its progress; 0 where nobody reads it.
    """
    name = "?"
    try:
        settings: Settings[Any] = pickle.loads(pickled_settings)  # noqa: S301 - our own web process wrote it
        name = type(settings).__name__
        gpu_process.admit(settings)
        return _pickled(run_restored(settings, _teller(run) if run else None))
    except PlaygroundError as error:
        return _portable(name, error)
    except BaseException as error:  # noqa: BLE001 - SystemExit too: no experiment ends a worker
        gpu_process.end_if_lost(error)
        return gpu_process.refusal_for_memory(error) or _failure(name, error)
    finally:
        gpu_process.tidy()
        if run:
            _channel[0].tell_over(run)


def run_restored(settings: Settings[Any], tell: Callable[[object], None] | None = None) -> object:
    """Run one experiment in this process and put all global state back."""
    experiment: Callable[..., object] = settings.experiment
    with torch_state.restored():
        return experiment() if tell is None else experiment(tell)


def _teller(run: int) -> Callable[[object], None]:
    def tell(record: object) -> None:
        _channel[0].tell(run, _pickled(record))

    return tell


def _pickled(value: object) -> bytes:
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def _portable(name: str, error: PlaygroundError) -> PlaygroundError | Failure:
    try:
        # A copy: the error itself leads to frames, and they hold the tensors of the experiment.
        copy: PlaygroundError = pickle.loads(pickle.dumps(error))  # noqa: S301 - dumped right here
    except Exception as reason:  # noqa: BLE001 - any value may refuse to be pickled, in its own way
        return _failure(name, reason)
    return copy


def _failure(name: str, error: BaseException) -> Failure:
    told: list[str] = []
    reason: BaseException | None = error
    while reason is not None:  # where, and not what was said: that may hold a student's values
        told = [*traceback.format_tb(reason.__traceback__), *told]
        reason = reason.__cause__ or reason.__context__
    places = "".join(told)
    return Failure(experiment=name, error_type=type(error).__name__, traceback=places)


def _end_with_fork_server() -> None:
    """Without it the pool could not tell when this process ends, so they end together.

    A signal tied to the parent is of no use with spawn: Linux sends it when the parent's *thread*
    ends.
    """
    started_by = multiprocessing.parent_process()
    is_forked = started_by is not None and os.getppid() != started_by.pid
    if sys.platform == "linux" and is_forked:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
