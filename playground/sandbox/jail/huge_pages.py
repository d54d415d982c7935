"""Has the kernel keep the zygote's memory in large pages, so that a fork copies fewer entries.

A fork copies the table of pages, not the pages; with pages of two mebibytes the table is short, and
what a child then writes to is still copied in small pages. It halves the cost of a child. A kernel
that cannot do it leaves everything as it is.
"""

import ctypes
from collections.abc import Iterator
from pathlib import Path

from playground.units import MEBIBYTE

SIZE = 2 * MEBIBYTE
WANTED, NOW = 14, 25  # MADV_HUGEPAGE, MADV_COLLAPSE
HEAP = "[heap]"


def collapse() -> None:
    """Gather the private memory of this process, as it is now, in large pages."""
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for begin, end in list(_private_memory()):
        madvise(begin, end - begin, WANTED)
        madvise(begin, end - begin, NOW)


def _private_memory() -> Iterator[tuple[int, int]]:
    """From where to where there is memory without a file behind it, in whole large pages."""
    for line in Path("/proc/self/maps").read_text("utf-8", "replace").splitlines():
        span, rights, _, _, file, *name = line.split(maxsplit=5)
        if rights != "rw-p" or file != "0" or (name and name[0] != HEAP):
            continue
        begin, end = (int(number, 16) for number in span.split("-"))
        begin, end = -(-begin // SIZE) * SIZE, end // SIZE * SIZE
        if begin < end:
            yield begin, end
