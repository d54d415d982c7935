"""A worker's process: entry points for the server, priority, life time, and how it is killed.

Knows no torch: the torch side, ``playground.compute.worker``, is imported by name, only in a
process that runs experiments.
"""

import copy
import importlib
import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from multiprocessing import connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from playground.compute.gpu_quota import GpuQuota
from playground.errors import Failure, PlaygroundError

Result = bytes | PlaygroundError | Failure  # of an experiment; the bytes are a pickled report
WORKER_MODULE = "playground.compute.worker"
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Where nvcc is installed and no GPU is seen, it writes a warning to standard error, past the log.
COMPILER_FINDER = "torch.utils.cpp_extension"
NICE = 5  # on Linux, a third of the server's share where both want a processor
AUTOGROUP = Path("/proc/self/autogroup")
_latest_task: list[Any] = []  # one shared number: the number of the task that began last
_quota: list[GpuQuota] = []  # one, where this process may use GPUs


# -- entry points ---------------------------------------------------------------------------------


def warm_up(hides_cuda: bool) -> None:
    """Import torch and take its slow first steps; with hidden GPUs, on one thread.

    Sets before the import what torch and its libraries read from the environment only once.
    """
    logging.getLogger(COMPILER_FINDER).setLevel(logging.ERROR)
    if hides_cuda:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
    importlib.import_module(WORKER_MODULE).warm_up_once(is_single_threaded=hides_cuda)
    if hides_cuda:
        lower_priority()  # from here on: on a busy computer it would otherwise start too late


def prepare(quota: GpuQuota | None, worker_socket: socket.socket, latest_task: Any) -> None:
    """Make a fresh process a worker.

    Args:
        quota: Its share of the GPUs. None: it must see no GPU, whatever the host has.
        worker_socket: Its end of the channel, ``channel.ServerEnd.worker_socket``.
        latest_task: A number in shared memory: that of the task that began last.
    """
    _latest_task[:] = [latest_task]
    if quota is not None:
        _quota[:] = [quota]
        quota.hide_others()
    warm_up(hides_cuda=quota is None)
    importlib.import_module(WORKER_MODULE).become_worker(worker_socket)


def check_ready() -> int:
    """Return the worker's process id, after its GPUs, if it has any, computed once.

    Raises:
        GpuUnusableError: A GPU does not compute.
    """
    for quota in _quota:
        quota.apply()
    return os.getpid()


def execute(pickled_settings: bytes, run: int, task: int) -> Result:
    """Run one experiment: ``worker.execute``. First note that it begins, however it may end."""
    _latest_task[0].value = task
    result: Result = importlib.import_module(WORKER_MODULE).execute(pickled_settings, run)
    return result


# -- priority and life time -----------------------------------------------------------------------


def lower_priority() -> None:
    """Let the server, which answers clicks, go before this process and its children.

    Linux shares the processors among sessions first where it groups tasks by session, so the leader
    of one lowers its whole session. A system that has no priorities is left as it is.
    """
    if not hasattr(os, "setpriority"):
        return
    nice = max(NICE, os.getpriority(os.PRIO_PROCESS, 0))
    os.setpriority(os.PRIO_PROCESS, 0, nice)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):
            AUTOGROUP.write_text(str(nice), "ascii")


def exit_with_parent() -> None:
    """End this process as soon as its parent has ended, also where the parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


# -- seen from the server -------------------------------------------------------------------------


class PoolWorker:
    """The process that one of pebble's pools has started last.

    Pebble may replace it unasked, or take it for dead though it is not: only a descriptor of the
    process, which no later process gets, says which one is to be killed.

    Args:
        context: How the process is started; the pool must be given ``self.context``.
    """

    def __init__(self, context: BaseContext) -> None:
        own: Any = copy.copy(context)
        self._make, own.Process = own.Process, self._note
        self.context: BaseContext = own
        self._process: BaseProcess | None = None
        self._lock = threading.Lock()
        self._pid: int | None = None
        self._pidfd: int | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    @property
    def exit_code(self) -> int | None:
        return self._process.exitcode if self._process is not None else None

    def hold(self) -> None:
        """Open a descriptor of the process if it has started; kill the one before it."""
        with self._lock:
            if self.pid != self._pid and self.pid is not None:
                _kill(self._pidfd)
                self._pid, self._pidfd = self.pid, _open_process(self.pid)

    def kill(self) -> None:
        """Kill the process, if it has started."""
        self.hold()
        with self._lock:
            pidfd, self._pidfd = self._pidfd, None
        _kill(pidfd)

    def _note(self, **options: Any) -> BaseProcess:
        process: BaseProcess = self._make(**options)
        self._process = process
        return process


def is_gone(pid: int) -> bool:
    """Return whether no process has this id; False for 0, which stands for no worker."""
    if not pid or os.name == "nt":  # where there is no harmless signal, the time limit must do
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return True
    return False


def _open_process(pid: int) -> int | None:
    """Return a file descriptor of a process; Linux has them."""
    try:
        return os.pidfd_open(pid) if sys.platform == "linux" else None
    except OSError:
        return None


def _kill(pidfd: int | None) -> None:
    if sys.platform != "linux" or pidfd is None:
        return
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    os.close(pidfd)
