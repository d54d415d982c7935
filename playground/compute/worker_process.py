"""A worker's process: entry points for the server, progress channel, priority, life time, its end.

Knows no torch: the torch side, ``playground.compute.worker``, is imported by name, only in a
process that runs experiments.

The fork server imports this module by name, which warms it up, so that every worker that it forks
starts warm. Imported anywhere else, the module does nothing.

The channel carries bytes while an experiment runs. The worker sends records, and the server may ask
it to stop the run. Each message names its run, so late ones are ignored. These are sockets of our
own instead of ``multiprocessing.Pipe``: a worker may be killed in the middle of a message, and a
pipe's reader would wait for the rest of it.
"""

import copy
import gc
import importlib
import logging
import multiprocessing
import os
import select
import signal
import socket
import struct
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
FORK_SERVER_MARK = "multiprocessing.forkserver"  # in the command that starts it
LESSONS = Path(__file__).parents[1] / "lessons"
AUTOGROUP = Path("/proc/self/autogroup")
MESSAGE_HEADER = struct.Struct("!QI")  # the run, the length
STOP_REQUEST = struct.Struct("!Q")  # the run to stop
END_OF_RECORDS = 0  # as a length; a pickle has at least one byte
READ_CHUNK_BYTES = 2**18
MAX_READ_BYTES = 2**22  # by one ``receive``: far more than a socket holds
_log = logging.getLogger(__name__)
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
        worker_socket: Its end of the channel, ``ServerChannel.worker_socket``.
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


# -- progress channel -----------------------------------------------------------------------------


class RunCancelledError(BaseException):
    """Raised in an experiment where it reports progress, once its caller has left.

    Not an ``Exception``: an experiment that catches torch's errors must not catch this one.
    """


class ServerChannel:
    """The server's end of the channel, for one worker and those that replace it."""

    def __init__(self) -> None:
        self._socket, self.worker_socket = socket.socketpair()
        self._socket.setblocking(False)
        self._unread = b""

    def receive(self, run: int, seconds: float) -> tuple[list[bytes], bool]:
        """Wait until the worker sends something, for so many seconds at most.

        Returns:
            The new records of this run, in order, and whether it was the last one.
        """
        connection.wait([self._socket], seconds)
        self._read()
        records, is_over, begin = [], False, 0
        while len(self._unread) >= begin + MESSAGE_HEADER.size:
            sender, length = MESSAGE_HEADER.unpack_from(self._unread, begin)
            end = begin + MESSAGE_HEADER.size + length
            if len(self._unread) < end:
                break
            if sender == run and length == END_OF_RECORDS:
                is_over = True
            elif sender == run:
                records.append(self._unread[begin + MESSAGE_HEADER.size : end])
            begin = end
        self._unread = self._unread[begin:]
        return records, is_over

    def discard_unread(self) -> None:
        """Discard what an earlier run left, also half a message of a killed worker."""
        self._read()
        self._unread = b""

    def request_stop(self, run: int) -> None:
        """Ask the worker to stop a run at its next record."""
        with suppress(OSError):  # full or closed: then the worker is killed
            self._socket.send(STOP_REQUEST.pack(run))

    def close(self) -> None:
        """Close both ends; a worker that sends a record afterwards fails."""
        self._socket.close()
        self.worker_socket.close()

    def _read(self) -> None:
        """Read what is there, up to a limit: a worker may send faster than this can read."""
        chunks, size = [self._unread], 0
        with suppress(BlockingIOError):
            while size < MAX_READ_BYTES and (chunk := self._socket.recv(READ_CHUNK_BYTES)):
                chunks.append(chunk)
                size += len(chunk)
        self._unread = b"".join(chunks)


class WorkerChannel:
    """The worker's end of the channel.

    Args:
        worker_socket: ``ServerChannel.worker_socket``, as it arrived in the worker.
    """

    def __init__(self, worker_socket: socket.socket) -> None:
        self._socket = worker_socket

    def send(self, run: int, record: bytes) -> None:
        """Send a record.

        Raises:
            RunCancelledError: The server asked to stop the run.
        """
        self._socket.sendall(MESSAGE_HEADER.pack(run, len(record)) + record)
        while select.select([self._socket], [], [], 0)[0]:
            request = self._socket.recv(STOP_REQUEST.size, socket.MSG_WAITALL)
            if len(request) < STOP_REQUEST.size or STOP_REQUEST.unpack(request)[0] == run:
                raise RunCancelledError

    def send_end(self, run: int) -> None:
        """Announce that no record of the run follows."""
        self._socket.sendall(MESSAGE_HEADER.pack(run, END_OF_RECORDS))


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


# -- the fork server ------------------------------------------------------------------------------


def import_lessons() -> None:
    """Import the modules of all lessons, so that no student waits for it.

    One that cannot be imported is logged; its experiments fail with the same error when they run.
    """
    for file in sorted(LESSONS.glob("*/[a-z]*.py")):
        name = f"playground.lessons.{file.parent.name}.{file.stem}"
        try:
            importlib.import_module(name)
        except ImportError:
            _log.exception("%s: import failed", name)


if any(FORK_SERVER_MARK in word for word in sys.orig_argv):
    os.environ.pop("PYTHONPATH", None)  # it was for this import; workers get the path otherwise
    gc.disable()  # it would search all that is imported, again and again
    warm_up(hides_cuda=True)
    import_lessons()
    gc.collect()
    gc.freeze()  # the collector of a worker then copies none of these pages
    gc.enable()
