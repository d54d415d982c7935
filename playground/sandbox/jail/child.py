"""A child of the zygote, from fork to exit: applies the layers, runs its task, writes its answer.

It never returns: whatever happens, the process ends here.
"""

import fcntl
import io
import os
import signal
import sys
from typing import NoReturn

from playground.sandbox.jail import landlock_seccomp, live, resources
from playground.sandbox.jail.request import Descriptors, Layer, Request
from playground.sandbox.jail.run_task import Task, failure, run_task

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
            live.start_timer()
            try:
                _apply_layers(request, base_bytes, zygote)
            except OSError as error:
                _write(failure(f"the jail could not be closed: {error}"))
            else:
                live.CHANNEL.open(_write, request.limits)
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
    landlock_seccomp.prctl(
        landlock_seccomp.PR_SET_PDEATHSIG, signal.SIGKILL
    )  # changing the user clears it
    if os.getppid() != zygote:  # it died before that
        os._exit(1)
    landlock_seccomp.prctl(landlock_seccomp.PR_SET_NO_NEW_PRIVS, 1)
    if Layer.LANDLOCK in wanted:
        landlock_seccomp.apply_landlock()
    if Layer.SECCOMP in wanted:
        landlock_seccomp.apply_seccomp()


def _write(part: bytes) -> None:
    rest = memoryview(part)
    while rest:
        rest = rest[os.write(RESULT, rest) :]
