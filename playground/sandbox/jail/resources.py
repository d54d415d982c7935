"""Memory, limits and user of a process, as the kernel counts them.

Huge pages: a fork copies the table of pages, not the pages; with pages of two mebibytes the table
is short, and what a child then writes to is still copied in small pages. It halves the cost of a
child. A kernel that cannot do it leaves everything as it is.
"""

import ctypes
import os
import resource
from collections.abc import Iterator
from pathlib import Path

from playground.sandbox.limits import Limits
from playground.units import KIBIBYTE, MEBIBYTE

UNCOUNTED_BYTES = 64 * MEBIBYTE  # of a run beside its data: page tables, stack, relocations
NOBODY = 65534
HUGE_PAGE_BYTES = 2 * MEBIBYTE
MADV_HUGEPAGE, MADV_COLLAPSE = 14, 25
HEAP = "[heap]"
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of mallopt
WARM_UP_BLOCK_BYTES = 128 * KIBIBYTE
RUN_BLOCK_BYTES = 32 * MEBIBYTE  # the most that glibc takes


def set_block_size(size_bytes: int) -> None:
    """Let the C library map blocks from this size on; once freed, the system has them back.

    Smaller ones come from the heap, where what a warm-up has freed is counted as held, and a run
    could use it beyond its limit. A C library other than glibc stays as it is.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(M_MMAP_THRESHOLD, size_bytes)
        mallopt(M_TRIM_THRESHOLD, 2 * size_bytes)


def set_limits(limits: Limits, base_bytes: int) -> None:
    """Limit this process for good.

    There is no limit on addresses: at it, the kernel no longer compares what ``mprotect`` makes
    writable with the limit on data.

    Args:
        limits: What it may take.
        base_bytes: What its memory held already when the job came: its ``VmData``.
    """
    max_bytes = base_bytes + limits.memory_bytes
    for what, soft, hard in (
        (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_hard_seconds),
        (resource.RLIMIT_DATA, max_bytes, max_bytes),
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
    """Return ``VmData``: the memory of this process that its limit counts.

    Raises:
        OSError: The kernel does not say it.
    """
    (found,) = _sizes("self", "VmData")
    return found


def held_bytes(pid: int) -> int:
    """Return a process's memory that is not in a file, page tables included; 0 if it has ended.

    Memory that it shares with its parent since the fork is counted, as in ``VmData``.
    """
    try:
        return sum(_sizes(pid, "RssAnon", "VmSwap", "VmPTE"))
    except OSError:
        return 0


def computed_seconds(pid: int) -> float:
    """Return the time that a process has been on a processor; 0 if it has ended.

    Also 0 where the kernel was built without these statistics.
    """
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text("ascii").split()[0]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _sizes(process: int | str, *names: str) -> list[int]:
    """Read sizes of a process from the kernel, in bytes.

    Raises:
        OSError: It does not say one of them.
    """
    text = Path(f"/proc/{process}/status").read_text("ascii", "replace")
    said = dict(line.split(":", 1) for line in text.splitlines())
    try:
        return [int(said[name].split()[0]) * KIBIBYTE for name in names]
    except KeyError as missing:
        raise OSError(f"the kernel does not say {missing} of process {process}") from None


def drop_root() -> None:
    """Give up root for good, and the right to start processes; do nothing for other users.

    Raises:
        OSError: Root, but not allowed to change the user.
    """
    if os.geteuid() != 0:
        return
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def collapse_into_huge_pages() -> None:
    """Gather the private memory of this process, as it is now, in huge pages."""
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for begin, end in list(_private_memory()):
        madvise(begin, end - begin, MADV_HUGEPAGE)
        madvise(begin, end - begin, MADV_COLLAPSE)


def _private_memory() -> Iterator[tuple[int, int]]:
    """Yield the ranges of memory without a file behind it, in whole huge pages."""
    for line in Path("/proc/self/maps").read_text("utf-8", "replace").splitlines():
        span, rights, _, _, file, *name = line.split(maxsplit=5)
        if rights != "rw-p" or file != "0" or (name and name[0] != HEAP):
            continue
        begin, end = (int(number, 16) for number in span.split("-"))
        begin = -(-begin // HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES
        end = end // HUGE_PAGE_BYTES * HUGE_PAGE_BYTES
        if begin < end:
            yield begin, end
