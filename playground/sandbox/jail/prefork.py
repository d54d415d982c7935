"""A child forked before there is a job for it, so that no job waits for what children do first.

Most of a short run's time goes into memory that a fork shares until it is first touched. A
preforked child touches it beforehand: it warms up with programs of ours, and then waits for one
job. It applies the layers once it has the job, whose limits they need, and runs no untrusted code
before.
"""

import os
import select
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from playground.sandbox.jail import child, landlock_seccomp
from playground.sandbox.jail.request import Descriptors, Request, receive
from playground.sandbox.jail.resources import data_bytes
from playground.sandbox.jail.run_task import Task

ChildWarmUp = Callable[[], Iterator[None]]
STANDARD = 3  # descriptors that are open in every process


class PreforkedChild:
    """A child that waits, seen from the zygote.

    Args:
        tasks: The functions, by name.
        warm_ups: Steps that it takes before it waits; none is begun once its job is there.

    Raises:
        OSError: The system has no room for it.
    """

    def __init__(self, tasks: Mapping[str, Task], warm_ups: Sequence[ChildWarmUp]) -> None:
        self._mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        zygote = os.getpid()
        try:
            self.pid = os.fork()
            if self.pid == 0:
                _run(tasks, warm_ups, theirs, zygote)
        except OSError:
            self._mine.close()
            raise
        finally:
            theirs.close()

    def assign(self, request: Request, ends: Descriptors) -> bool:
        """Hand the job to the child. Return False if it has exited; it is reaped."""
        try:
            request.send(self._mine, ends)
        except OSError:
            os.waitpid(self.pid, 0)
            return False
        finally:
            self._mine.close()
        return True

    def end(self) -> None:
        """End it without a job."""
        self._mine.close()
        with suppress(OSError):
            os.waitpid(self.pid, 0)


def _run(
    tasks: Mapping[str, Task],
    warm_ups: Sequence[ChildWarmUp],
    jobs: socket.socket,
    zygote: int,
) -> NoReturn:
    """Run the preforked child."""
    try:
        landlock_seccomp.prctl(landlock_seccomp.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != zygote:  # it died before that
            os._exit(1)
        os.closerange(STANDARD, jobs.fileno())
        os.closerange(jobs.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
        _warm_up(warm_ups, jobs)
        received = receive(jobs)
        if received is not None:
            request, ends = received
            child.run_child(tasks[request.task], request, ends, data_bytes(), zygote)
    finally:
        os._exit(1)


def _warm_up(warm_ups: Sequence[ChildWarmUp], jobs: socket.socket) -> None:
    """Touch the memory that a job will touch, until the job is there."""
    poll = select.poll()
    poll.register(jobs, select.POLLIN)
    for warm_up in warm_ups:
        steps = warm_up()
        while not poll.poll(0) and next(steps, steps) is not steps:
            pass
