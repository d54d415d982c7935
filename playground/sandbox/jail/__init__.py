"""One-shot children of a preloaded zygote, under the operating system's limits; loads no torch.

``run(task, arguments, data=…)`` blocks until a new child has answered, from any thread::

    answer = jail.run("load_checkpoint", {"file_name": "net.pt"}, data=uploaded)
    if answer.is_ok:
        table = answer.value["tensors"]
    else:
        answer.stopped_because  # cpu, wall, memory, output, result_too_large, crashed, …

Adding a task
-------------
1. Write it in a module of its own, which may import torch at its top (name the module under
   "only these import torch" in ``pyproject.toml``)::

       def load_checkpoint(arguments: JsonObject, data: BinaryIO, limits: Limits) -> JsonObject:
           ...

   ``arguments`` is what ``run`` was given, through JSON. ``data`` is a seekable file at its
   beginning (empty where none was given); nothing else can be opened. ``limits`` are the limits
   of this run. What it returns goes through JSON: finite numbers, ``str`` keys, at most
   ``limits.result_bytes`` long and ``limits.result_depth`` deep.
2. A module may have ``warm_up() -> None`` beside its task. The zygote calls it once, before any
   job: do there once whatever the task will do, since a child can import nothing and read no
   file. It must leave no thread and touch no CUDA. ``warm_up_child()``, a generator of steps, runs
   in each preforked child.
3. Name it in ``run_task.TASKS``:
   ``"load_checkpoint": "playground.checkpoints.jailed.task:load_checkpoint"``.

In the child, ``sys.stdout`` is the captured output (``answer.output``), ``sys.stderr`` goes
nowhere, random numbers are seeded with 0. What a task raises ends as ``StoppedBecause.FAILED``;
``MemoryError`` and torch's allocator refusals as ``MEMORY``. A task that wants to say more catches
them itself. Limits of a run can be tightened: ``limits=replace(LIMITS, wall_seconds=1.0)``.
"""

from collections.abc import Callable

from playground.sandbox.jail.answer import JailAnswer, StoppedBecause
from playground.sandbox.jail.jail import Jail
from playground.sandbox.jail.request import NOBODY, Watcher
from playground.sandbox.jail.run_task import TASKS
from playground.sandbox.jail.self_test import SelfTestResult
from playground.sandbox.limits import LIMITS, Limits
from playground.sandbox.schema import JsonObject

__all__ = [
    "Jail",
    "JailAnswer",
    "SelfTestResult",
    "StoppedBecause",
    "Watcher",
    "found",
    "preflight",
    "restarts",
    "run",
    "start",
    "stop",
    "switch_off",
    "waiting",
]

_jail = Jail(TASKS)


def start() -> None:
    """Start the zygote in the background; a second call does nothing."""
    _jail.start()


def switch_off() -> None:
    """Refuse every run from now on and start no zygote; call it before ``start``."""
    _jail.switch_off()


def stop() -> None:
    """End the zygote and all its children; safe to call twice, and before ``start``."""
    _jail.stop()


def preflight() -> SelfTestResult:
    """Return the result of the self-test; start the jail if need be, and wait for the test."""
    return _jail.preflight()


def found() -> SelfTestResult | None:
    """Return the last result of the self-test at once; None while the jail starts or is stopped."""
    return _jail.found


def restarts() -> int:
    """Return the number of zygotes that were lost and replaced."""
    return _jail.restarts


def waiting() -> int:
    """Return the number of runs that wait for their turn."""
    return _jail.waiting


def run(
    task: str,
    arguments: JsonObject,
    *,
    data: bytes = b"",
    more: bytes = b"",
    limits: Limits = LIMITS,
    on_wait: Callable[[int], None] | None = None,
    watcher: Watcher = NOBODY,
    visitor: str = "",
) -> JailAnswer:
    """Run a task in a child of its own and wait for its answer.

    Args:
        task: A name of ``run_task.TASKS``.
        arguments: Arguments of the task; they go through JSON.
        data: A file for the task.
        more: A second one, which follows it in the same file; joining them here would copy both.
        limits: The bounds of this run.
        on_wait: Called from this thread with the place in the queue (1 is next), a few times a
            second while the run waits. What it raises leaves the queue and comes through.
        watcher: Follows the run while it goes on, and may cancel it.
        visitor: Who asks, as any stable text; long runs of one visitor wait for one another.

    Raises:
        SandboxClosedError: ``sandbox_closed``: the jail does not hold on this computer.
        SandboxBusyError: ``sandbox_busy``: too many runs wait already.
        ValueError: Arguments or data are larger than the limits allow.
    """
    return _jail.run(
        task,
        arguments,
        data=data,
        more=more,
        limits=limits,
        on_wait=on_wait,
        watcher=watcher,
        visitor=visitor,
    )
