"""The zygote: imports torch once, forks a child per job, ends and reaps it; runs nothing itself.

It always has one thread: a fork copies only the thread that calls it, and a lock that another one
held would stay locked for ever. It never touches CUDA, never reads untrusted data, and ends with
the web process: its socket then has no other end.
"""

import gc
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from playground.compute.worker_process import lower_priority
from playground.sandbox.jail import landlock_seccomp, resources
from playground.sandbox.jail.answer import ExitStatus
from playground.sandbox.jail.child import ChildWarmUp, PreforkedChild, run_child
from playground.sandbox.jail.request import Descriptors, Request, receive
from playground.sandbox.jail.resources import (
    UNCOUNTED_BYTES,
    computed_seconds,
    data_bytes,
    grow_stack,
    held_bytes,
)
from playground.sandbox.jail.run_task import Task
from playground.sandbox.limits import LIMITS
from playground.units import MEBIBYTE

MAX_LOGGED_BYTES = MEBIBYTE
IDLE_TIMEOUT_SECONDS = 3_600.0
CHECK_SECONDS = 0.05  # how often the memory of a child is checked
LONG_SECONDS = 0.5  # of computing: after these, a child lets those that have just begun go first
LONG_NICE = 15  # not the lowest: a child that is killed must still get to its end


@dataclass(slots=True)
class _Job:
    """A live child."""

    pid: int
    handle: int  # a pidfd: it means this child even when its number is given to another process
    control: socket.socket
    latest: float
    max_bytes: int
    began: float = field(default_factory=time.monotonic)
    next_check: float = field(default_factory=lambda: time.monotonic() + CHECK_SECONDS)
    is_killed: bool = False
    is_long: bool = False
    is_overdue: bool = False
    is_oversized: bool = False

    def check(self) -> None:
        """Kill it if its time is over or if it holds too much memory."""
        now = time.monotonic()
        self.next_check = now + CHECK_SECONDS
        self.is_overdue = now >= self.latest
        self.is_oversized = not self.is_overdue and held_bytes(self.pid) > self.max_bytes
        if self.is_overdue or self.is_oversized:
            self.kill()
        elif not self.is_long and computed_seconds(self.pid) > LONG_SECONDS:
            self.is_long = True
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.pid, LONG_NICE)

    def kill(self) -> None:
        self.is_killed = True
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)


class Zygote:
    """Forks on demand.

    Args:
        tasks: The functions, by name.
        child_warm_ups: Steps of a child before its job comes; without any, none is preforked.
        requests: The socket on which jobs come.
    """

    def __init__(
        self,
        tasks: Mapping[str, Task],
        child_warm_ups: Sequence[ChildWarmUp],
        requests: socket.socket,
    ) -> None:
        self._tasks = tasks
        self._child_warm_ups = child_warm_ups
        self._requests = requests
        self._base_bytes = data_bytes()
        self._base_held_bytes = held_bytes(os.getpid())  # CUDA's libraries have much unused data
        self._jobs: list[_Job] = []
        self._preforked: PreforkedChild | None = None

    def serve(self) -> None:
        """Serve jobs until the web process has closed its end."""
        while True:
            self._prepare()
            ready = self._wait()
            for job in list(self._jobs):
                self._watch(job, ready)
            if self._requests.fileno() in ready and not self._accept():
                break
        for job in self._jobs:
            job.kill()
        if self._preforked:
            self._preforked.end()

    def _prepare(self) -> None:
        """Fork a child for the next job; if that fails, the job gets the error."""
        if self._child_warm_ups and not self._preforked and threads() == 1:
            with suppress(OSError):
                self._preforked = PreforkedChild(self._tasks, self._child_warm_ups)

    def _wait(self) -> set[int]:
        poll = select.poll()
        if len(self._jobs) < LIMITS.children:  # a child that has answered may not have ended yet
            poll.register(self._requests, select.POLLIN)
        latest = time.monotonic() + IDLE_TIMEOUT_SECONDS
        for job in self._jobs:
            poll.register(job.handle, select.POLLIN)
            if not job.is_killed:
                poll.register(job.control, select.POLLIN)
                latest = min(latest, job.latest, job.next_check)
        waited = max(0.0, latest - time.monotonic())
        return {descriptor for descriptor, _ in poll.poll(int(waited * 1000) + 1)}

    def _watch(self, job: _Job, ready: set[int]) -> None:
        if job.handle in ready:
            self._reap(job)
        elif job.control.fileno() in ready:  # the web process does not need it any more
            job.kill()
        elif not job.is_killed and time.monotonic() >= min(job.latest, job.next_check):
            job.check()

    def _reap(self, job: _Job) -> None:
        _, status, used = os.wait4(job.pid, 0)
        exit_status = ExitStatus(
            exit_code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0,
            signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
            is_overdue=job.is_overdue,
            is_oversized=job.is_oversized,
            elapsed_seconds=time.monotonic() - job.began,
            cpu_seconds=used.ru_utime + used.ru_stime,
        )
        with suppress(OSError):  # the web process may be gone
            job.control.send(exit_status.to_bytes())
        job.control.close()
        os.close(job.handle)
        self._jobs.remove(job)

    def _accept(self) -> bool:
        """Fork a child for the next job; return False if there will be none."""
        received = receive(self._requests)
        if received is None:
            return False
        request, ends = received
        control = socket.socket(fileno=ends.control)
        try:
            self._jobs.append(self._fork(request, ends, control))
        except (OSError, RuntimeError) as error:
            with suppress(OSError):
                control.send(ExitStatus(refused=str(error)).to_bytes())
            control.close()
        for end in (ends.result, ends.output, ends.arguments, ends.data):
            os.close(end)
        return True

    def _fork(self, request: Request, ends: Descriptors, control: socket.socket) -> _Job:
        """Fork a child, or assign the job to the preforked one.

        Raises:
            RuntimeError: A fork could hang.
            OSError: The system has no room for it.
        """
        if threads() != 1:
            raise RuntimeError("the zygote has more than one thread")
        preforked, self._preforked = self._preforked, None
        if preforked and preforked.assign(request, ends):
            pid = preforked.pid
        else:
            zygote = os.getpid()
            pid = os.fork()
            if pid == 0:
                run_child(self._tasks[request.task], request, ends, self._base_bytes, zygote)
        latest = time.monotonic() + request.limits.wall_seconds
        max_bytes = self._base_held_bytes + request.limits.memory_bytes + UNCOUNTED_BYTES
        return _Job(pid, os.pidfd_open(pid), control, latest, max_bytes)


def threads() -> int:
    """Return the number of threads of this process, those of libraries included."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - names are enough


def main(descriptor: int, homes: Mapping[str, str]) -> NoReturn:
    """Run the zygote.

    Args:
        descriptor: The socket on which jobs come.
        homes: ``"module:function"`` of each task, by name.
    """
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_LOGGED_BYTES, MAX_LOGGED_BYTES))
    grow_stack(LIMITS.stack_bytes)
    resources.set_block_size(resources.WARM_UP_BLOCK_BYTES)
    requests = socket.socket(fileno=descriptor)
    requests.set_inheritable(False)
    environment = dict(os.environ)
    gc.disable()  # it would search all that is imported, again and again
    modules = [importlib.import_module(home.partition(":")[0]) for home in homes.values()]
    gc.freeze()  # what is imported is no garbage
    for module in modules:
        if warm_up := getattr(module, "warm_up", None):
            warm_up()
    tasks: dict[str, Task] = {
        name: getattr(module, home.partition(":")[2])
        for module, (name, home) in zip(modules, homes.items(), strict=True)
    }
    child_warm_ups = [
        module.warm_up_child
        for module in dict.fromkeys(modules)
        if hasattr(module, "warm_up_child")
    ]
    for name in os.environ.keys() - environment.keys():  # torch notes the operator's name there
        del os.environ[name]
    gc.collect()
    gc.freeze()  # the collector of a child then copies none of these pages
    gc.enable()
    resources.collapse_into_huge_pages()
    lower_priority()
    zygote = Zygote(tasks, child_warm_ups, requests)
    facts = {
        "threads": threads(),
        "landlock": landlock_seccomp.landlock_version(),
        "data_bytes": data_bytes(),
    }
    with suppress(OSError):
        requests.send(json.dumps(facts).encode())
        zygote.serve()
    sys.stderr.flush()
    os._exit(0)  # without taking torch apart, which takes a second
