"""Limits on what a child may use, counted by the kernel."""

import ctypes
import resource
from pathlib import Path

from playground.sandbox.limits import Limits
from playground.units import KIBIBYTE, MEBIBYTE

UNCOUNTED_BYTES = 64 * MEBIBYTE  # what a run has beside its data: page tables, stack, relocations


def limit(limits: Limits, base_bytes: int) -> None:
    """Bound this process for good.

    There is no limit on addresses: at it, the kernel no longer compares what ``mprotect`` makes
    writable with the limit on data.

    Args:
        limits: What it may take.
        base_bytes: What its memory held already when the job came: its ``VmData``.
    """
    most = base_bytes + limits.memory_bytes
    for what, soft, hard in (
        (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_hard_seconds),
        (resource.RLIMIT_DATA, most, most),
        (resource.RLIMIT_STACK, 0, 0),  # it has grown (``grow_stack``); each piece of it would
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        resource.setrlimit(what, (soft, hard))


def grow_stack(size_bytes: int) -> None:
    """Have the kernel grow the stack of this process, and of its children, to a size.

    Raises:
        OSError: The kernel does not say where it is.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if hard != resource.RLIM_INFINITY:
        size_bytes = min(size_bytes, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (size_bytes, hard))
    for line in Path("/proc/self/maps").read_text("utf-8", "replace").splitlines():
        if line.endswith(" [stack]"):
            end = int(line.split()[0].split("-")[1], 16)
            ctypes.string_at(end - size_bytes, 1)  # the kernel grows it to where it is read
            return
    raise OSError("the kernel does not say where the stack is")


def data_bytes() -> int:
    """``VmData``: the memory of this process that its limit counts.

    Raises:
        OSError: The kernel does not say it.
    """
    (found,) = _sizes("self", "VmData")
    return found


def held_bytes(pid: int) -> int:
    """The memory of a process, page tables included, that is not in a file; 0 where it has ended.

    What it shares with its parent since the fork is counted, as in ``VmData``.
    """
    try:
        return sum(_sizes(pid, "RssAnon", "VmSwap", "VmPTE"))
    except OSError:
        return 0


def _sizes(process: int | str, *names: str) -> list[int]:
    """Sizes that the kernel says of a process, in bytes.

    Raises:
        OSError: It does not say one of them.
    """
    text = Path(f"/proc/{process}/status").read_text("ascii", "replace")
    said = dict(line.split(":", 1) for line in text.splitlines())
    try:
        return [int(said[name].split()[0]) * KIBIBYTE for name in names]
    except KeyError as missing:
        raise OSError(f"the kernel does not say {missing} of process {process}") from None
