"""Tasks whose zygote has much memory; they need no torch, and hold theirs until they are ended."""

import ctypes
import mmap
import time

MIB = 2**20
inherited = bytearray()
unused = []


def warm_up():
    """Have memory, and data that is in none, as CUDA's libraries have it."""
    inherited.extend(bytes(400 * MIB))
    unused.append(mmap.mmap(-1, 600 * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


def hold(arguments, data, limits):
    """Write memory and make it read-only, so that the limit on data no longer counts it."""
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    held = []
    for _ in range(arguments["mib"] // 8):
        memory = mmap.mmap(-1, 8 * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory.write(b"x" * 8 * MIB)
        held.append(memory)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        if libc.mprotect(address, 8 * MIB, mmap.PROT_READ) != 0:
            raise OSError("it is refused")
    time.sleep(3_600)


def copy(arguments, data, limits):
    """Write to each page that came with the fork."""
    for at in range(0, len(inherited), mmap.PAGESIZE):
        inherited[at] = 1
    time.sleep(3_600)
