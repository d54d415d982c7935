"""A child forked before there is a job for it, so that no job waits for what children do first.

Most of a short run's time goes into memory that a fork shares until it is first touched. A spare
child touches it beforehand: it rehearses with programs of ours, and then waits for one job. It puts
on the layers once it has the job, whose limits they need, and nothing of a stranger's comes before.
"""

import os
import select
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from playground.sandbox.jail import child
from playground.sandbox.jail.layers import kernel
from playground.sandbox.jail.layers.resources import data_bytes
from playground.sandbox.jail.performing import Task
from playground.sandbox.jail.request import Descriptors, Request, receive

Rehearsal = Callable[[], Iterator[None]]
STANDARD = 3  # so many descriptors are open in every process


class Spare:
    """A child that waits, seen from the zygote.

    Args:
        tasks: The functions, by name.
        rehearsals: What it does before it waits, in steps; none is begun once its job is there.

    Raises:
        OSError: The system has no room for it.
    """

    def __init__(self, tasks: Mapping[str, Task], rehearsals: Sequence[Rehearsal]) -> None:
        self._mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        zygote = os.getpid()
        try:
            self.pid = os.fork()
            if self.pid == 0:
                _live(tasks, rehearsals, theirs, zygote)
        except OSError:
            self._mine.close()
            raise
        finally:
            theirs.close()

    def give(self, request: Request, ends: Descriptors) -> bool:
        """Give it its job; false where it is dead, and buried then."""
        try:
            request.send(self._mine, ends)
        except OSError:
            os.waitpid(self.pid, 0)
            return False
        finally:
            self._mine.close()
        return True

    def end(self) -> None:
        """Let it go without a job."""
        self._mine.close()
        with suppress(OSError):
            os.waitpid(self.pid, 0)


def _live(
    tasks: Mapping[str, Task],
    rehearsals: Sequence[Rehearsal],
    jobs: socket.socket,
    zygote: int,
) -> NoReturn:
    """Be the spare child."""
    try:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != zygote:  # it died before that
            os._exit(1)
        os.closerange(STANDARD, jobs.fileno())
        os.closerange(jobs.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
        _rehearse(rehearsals, jobs)
        received = receive(jobs)
        if received is not None:
            request, ends = received
            child.live(tasks[request.task], request, ends, data_bytes(), zygote)
    finally:
        os._exit(1)


def _rehearse(rehearsals: Sequence[Rehearsal], jobs: socket.socket) -> None:
    """Touch what a job will touch, until the job is there."""
    poll = select.poll()
    poll.register(jobs, select.POLLIN)
    for rehearse in rehearsals:
        steps = rehearse()
        while not poll.poll(0) and next(steps, steps) is not steps:
            pass
