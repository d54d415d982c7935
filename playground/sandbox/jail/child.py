"""One run, from fork to exit: puts on the layers, does its task, writes its answer as JSON.

Knows no way back: whatever happens, the process ends here.
"""

import fcntl
import io
import os
import signal
import sys
from typing import NoReturn

from playground.sandbox.jail.layers import kernel, landlock, resources, seccomp, user
from playground.sandbox.jail.performing import Task, failure, perform
from playground.sandbox.jail.request import Descriptors, Layer, Request

OUTPUT, ERRORS, RESULT, DATA, ARGUMENTS = 1, 2, 3, 4, 5
OUT_OF_THE_WAY = 64  # descriptors are moved there before they get their numbers


def live(task: Task, request: Request, ends: Descriptors, base_bytes: int, zygote: int) -> NoReturn:
    """Be the child.

    Args:
        task: What to do.
        request: The job.
        ends: Its descriptors, as they came.
        base_bytes: ``VmData`` of the zygote once it was warm.
        zygote: Its process id, known before the fork: it may be dead by now.
    """
    try:
        _take_descriptors(ends)
        sys.stdout = _output()
        with open(ARGUMENTS, "rb") as arguments, open(DATA, "rb") as data:
            try:
                _put_on(request, base_bytes, zygote)
            except OSError as error:
                _write(failure(f"the jail could not be closed: {error}"))
            else:
                for part in perform(task, arguments, data, request.limits):
                    _write(part)
        os.close(RESULT)  # nothing will follow: whoever reads it need not wait for the end
    finally:
        os._exit(0)


def _take_descriptors(ends: Descriptors) -> None:
    """Give each descriptor its number, and close whatever else is open."""
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
    """Standard output that holds nothing back: what was printed is there even if it is killed."""
    raw = io.FileIO(OUTPUT, "w", closefd=False)
    return io.TextIOWrapper(
        raw, encoding="utf-8", errors="backslashreplace", newline="", write_through=True
    )


def _put_on(request: Request, base_bytes: int, zygote: int) -> None:
    """Put on the layers; the order matters, since each one takes away what an earlier one needs."""
    layers = request.layers
    if Layer.RESOURCES in layers:
        resources.limit(request.limits, base_bytes)
    if Layer.USER in layers:
        user.become_nobody()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # changing the user forgets it
    if os.getppid() != zygote:  # it died before that
        os._exit(1)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if Layer.LANDLOCK in layers:
        landlock.deny_all()
    if Layer.SECCOMP in layers:
        seccomp.allow_computing_only()


def _write(part: bytes) -> None:
    rest = memoryview(part)
    while rest:
        rest = rest[os.write(RESULT, rest) :]
