"""What the web process asks of a worker; torch is imported by name, only where a worker runs it."""

import importlib
import logging
import os
import socket
from typing import Any

from playground.compute.answer import Answer
from playground.compute.gpu_share import GpuShare
from playground.compute.priority import give_way

WORKER_MODULE = "playground.compute.worker"
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Where nvcc is installed and no GPU is seen, it writes a warning to standard error, past the log.
COMPILER_FINDER = "torch.utils.cpp_extension"
_latest: list[Any] = []  # one shared number: the ticket of the task that was begun last
_share: list[GpuShare] = []  # one, where this process may use GPUs


def warm_up(hides_cuda: bool) -> None:
    """Import torch and take its slow first steps; with hidden GPUs, on one thread.

    What torch and its libraries read from the environment once is set before they are imported.
    """
    logging.getLogger(COMPILER_FINDER).setLevel(logging.ERROR)
    if hides_cuda:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
    importlib.import_module(WORKER_MODULE).warm_up_once(is_single_threaded=hides_cuda)
    if hides_cuda:
        give_way()  # from here on: on a busy computer it would otherwise start too late


def prepare(share: GpuShare | None, end: socket.socket, latest: Any) -> None:
    """Make a fresh process a worker.

    Args:
        share: What it may take of the GPUs; None: it must see none, whatever the host has.
        end: Its end of the channel, ``channel.WebEnd.workers``.
        latest: A number in memory that the web process sees too: the ticket of the latest task.
    """
    _latest[:] = [latest]
    if share is not None:
        _share[:] = [share]
        share.show()
    warm_up(hides_cuda=share is None)
    importlib.import_module(WORKER_MODULE).become_worker(end)


def execute(pickled_settings: bytes, run: int, ticket: int) -> Answer:
    """Run one experiment: ``worker.execute``. First say that it begins, however it may end."""
    _latest[0].value = ticket
    answer: Answer = importlib.import_module(WORKER_MODULE).execute(pickled_settings, run)
    return answer


def say_ready() -> int:
    """Answer with the worker's process id; first let its GPUs compute, if it has any.

    Raises:
        GpuUnusableError: They do not.
    """
    for share in _share:
        share.settle()
    return os.getpid()
