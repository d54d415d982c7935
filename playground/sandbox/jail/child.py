"""A child of the zygote, from fork to exit: applies the layers, runs its task, writes its answer.

Most of a short run's time goes into memory that a fork shares until it is first touched. So a child
may be forked before there is a job for it: it warms up with programs of ours, and then waits for
one job. It applies the layers once it has the job, whose limits they need, and runs no untrusted
code before.

A child never returns: whatever happens, the process ends here.
"""

import fcntl
import io
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from playground.sandbox.jail import landlock_seccomp, resources
from playground.sandbox.jail.request import Descriptors, Layer, Request, receive
from playground.sandbox.jail.run_task import CHANNEL, Task, failure, run_task, start_timer

ChildWarmUp = Callable[[], Iterator[None]]
STANDARD = 3  # descriptors that are open in every process
OUTPUT, ERRORS, RESULT, DATA, ARGUMENTS = 1, 2, 3, 4, 5
OUT_OF_THE_WAY = 64  # descriptors are moved there before they get their numbers


def run_child(
    task: Task, request: Request, ends: Descriptors, base_bytes: int, zygote: int
) -> NoReturn:
    """Run the child.

    Args:
        task: The function.
        request: The job.
        ends: Its descriptors, as they came.
        base_bytes: ``VmData`` of the zygote once it was warm.
        zygote: Its process id, known before the fork: it may be dead by now.
    """
    try:
        _take_descriptors(ends)
        sys.stdout = _output()
        resources.set_block_size(resources.RUN_BLOCK_BYTES)
        with open(ARGUMENTS, "rb") as arguments, open(DATA, "rb") as data:
            start_timer()
            try:
                _apply_layers(request, base_bytes, zygote)
            except OSError as error:
                _write(failure(f"the jail could not be closed: {error}"))
            else:
                CHANNEL.open(_write, request.limits)
                for part in run_task(task, arguments, data, request.limits):
                    _write(part)
        os.close(RESULT)  # nothing will follow: the reader need not wait for the end
    finally:
        os._exit(0)


def _take_descriptors(ends: Descriptors) -> None:
    """Give each descriptor its number, and close all others."""
    os.setpgid(0, 0)  # not a session: those that Linux groups by session have one share together
    wanted = {
        OUTPUT: ends.output,
        RESULT: ends.result,
        DATA: ends.data,
        ARGUMENTS: ends.arguments,
    }
    moved = {
        number: fcntl.fcntl(given, fcntl.F_DUPFD, OUT_OF_THE_WAY)
        for number, given in wanted.items()
    }
    for number, given in moved.items():
        os.dup2(given, number)
    os.dup2(0, ERRORS)  # /dev/null, as the zygote has it
    os.closerange(ARGUMENTS + 1, os.sysconf("SC_OPEN_MAX"))


def _output() -> io.TextIOWrapper:
    """Make an unbuffered standard output: what was printed is there even if it is killed."""
    raw = io.FileIO(OUTPUT, "w", closefd=False)
    return io.TextIOWrapper(
        raw, encoding="utf-8", errors="backslashreplace", newline="", write_through=True
    )


def _apply_layers(request: Request, base_bytes: int, zygote: int) -> None:
    """Apply the layers; the order matters, since each takes away what an earlier one needs."""
    wanted = request.layers
    if Layer.RESOURCES in wanted:
        resources.set_limits(request.limits, base_bytes)
    if Layer.USER in wanted:
        resources.drop_root()
    _die_with(zygote)  # after the change of user, which clears it
    landlock_seccomp.prctl(landlock_seccomp.PR_SET_NO_NEW_PRIVS, 1)
    if Layer.LANDLOCK in wanted:
        landlock_seccomp.apply_landlock()
    if Layer.SECCOMP in wanted:
        landlock_seccomp.apply_seccomp()


def _die_with(zygote: int) -> None:
    """Have the kernel end this process with the zygote."""
    landlock_seccomp.prctl(landlock_seccomp.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != zygote:  # it died before that
        os._exit(1)


def _write(part: bytes) -> None:
    rest = memoryview(part)
    while rest:
        rest = rest[os.write(RESULT, rest) :]


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
                _run_preforked(tasks, warm_ups, theirs, zygote)
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


def _run_preforked(
    tasks: Mapping[str, Task],
    warm_ups: Sequence[ChildWarmUp],
    jobs: socket.socket,
    zygote: int,
) -> NoReturn:
    """Run the preforked child."""
    try:
        _die_with(zygote)
        os.closerange(STANDARD, jobs.fileno())
        os.closerange(jobs.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
        _warm_up(warm_ups, jobs)
        received = receive(jobs)
        if received is not None:
            request, ends = received
            run_child(tasks[request.task], request, ends, resources.data_bytes(), zygote)
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
