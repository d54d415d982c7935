"""How the web process takes memory from the system: so that what was used once is given back.

Many threads draw pages, and files come as blocks of megabytes. Left to itself, the C library keeps
a heap of its own for each of many threads, and after the first large blocks puts all of them on
these heaps, where a small one that stays keeps the rest from being given back.
"""

import ctypes
import sys

MOST_HEAPS = 2
LARGE_BYTES = 128 * 1024  # a block of this size is given back as soon as it is free
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # of glibc's mallopt


def give_back_early() -> bool:
    """Ask the C library to; False where it cannot be asked so."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        return False
    wishes = {
        ARENA_MAX: MOST_HEAPS,
        MMAP_THRESHOLD: LARGE_BYTES,
        TRIM_THRESHOLD: LARGE_BYTES,
    }
    granted = [mallopt(name, value) == 1 for name, value in wishes.items()]
    return all(granted)
