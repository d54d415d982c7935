"""Programs that try to hold memory which the limit on data does not count.

Each one counts in ``result`` the MiB that it has written and still holds, or the MiB of page tables
that it made the kernel keep. A refusal ends it early.
"""

from tests.sandbox.cells import named_cells

TOOLS = """
MIB, PAGE = 1 << 20, mmap.PAGESIZE
NONE, READ, WRITE, EXECUTE = 0, 1, 2, 4
PRIVATE, FIXED, GROWS_DOWN, ANONYMOUS, HUGE = 0x02, 0x10, 0x0100, 0x20, 0x40000
MAY_MOVE, INSTALL_GUARD = 1, 102
WANTED = 600
libc = ctypes.CDLL(None, use_errno=True)
pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
libc.mmap.argtypes = (pointer, size, number, number, number, ctypes.c_long)
libc.mremap.argtypes = (pointer, size, size, number)
libc.mprotect.argtypes = libc.madvise.argtypes = (pointer, size, number)
libc.munmap.argtypes = (pointer, size)
libc.sbrk.argtypes = (ctypes.c_long,)
libc.mmap.restype = libc.mremap.restype = libc.sbrk.restype = ctypes.c_ssize_t
stack_end = pointer.in_dll(libc, "__libc_stack_end").value & -PAGE
result = 0

def tried(call, *words):
    answer = call(*words)
    if answer == -1:
        raise OSError(ctypes.get_errno(), call.__name__)
    return answer

def mapped(mib, access=READ | WRITE, kind=PRIVATE | ANONYMOUS, at=0, file=-1):
    return tried(libc.mmap, at, mib * MIB, access, kind, file, 0)

def write(address, mib):
    ctypes.memset(address, 1, mib * MIB)

def held(address, mib):
    global result
    write(address, mib)
    result += mib
"""


def program(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f"{TOOLS}\ntry:\n{lines}except OSError as error:\n    print(error)\n"


REPROTECTED = """
while result < WANTED:
    address = mapped(8)
    write(address, 8)
    tried(libc.mprotect, address, 8 * MIB, {})
    result += 8
"""
REFUSED = {
    "memory made read-only": REPROTECTED.format("READ"),
    "memory made unreachable": REPROTECTED.format("NONE"),
}
REFUSED |= named_cells("""
# %% memory that can be executed
while result < WANTED:
    address = mapped(8)
    tried(libc.mprotect, address, 8 * MIB, READ | WRITE | EXECUTE)
    held(address, 8)
# %% a page of the stack made large
page = stack_end - 4 * MIB
ctypes.memset(page, 1, PAGE)
held(tried(libc.mremap, page, PAGE, WANTED * MIB, MAY_MOVE), WANTED)
# %% memory made large
held(tried(libc.mremap, mapped(1), MIB, WANTED * MIB, MAY_MOVE), WANTED)
# %% memory that can only be read
address = mapped(200 * 1024, READ)
for tables in range(200 * 1024 // 2):
    ctypes.string_at(address + tables * 2 * MIB, 1)
    result = tables // 256
# %% memory put in the place of other memory
held(mapped(WANTED, at=mapped(WANTED, NONE), kind=PRIVATE | ANONYMOUS | FIXED), WANTED)
# %% a reservation made writable
address = mapped(WANTED, NONE)
tried(libc.mprotect, address, WANTED * MIB, READ | WRITE)
held(address, WANTED)
# %% a reservation made writable where no address is left
address, reserved = mapped(WANTED, NONE), 1 << 26
while reserved:
    try:
        mapped(reserved, NONE)
    except OSError:
        reserved //= 2
tried(libc.mprotect, address, WANTED * MIB, READ | WRITE)
held(address, WANTED)
# %% guards in a reservation
tried(libc.madvise, mapped(200 * 1024, NONE), 200 * 1024 * MIB, INSTALL_GUARD)
result = 400
# %% memory that grows downwards
held(mapped(WANTED, kind=PRIVATE | ANONYMOUS | GROWS_DOWN), WANTED)
# %% huge pages
held(mapped(WANTED, kind=PRIVATE | ANONYMOUS | HUGE), WANTED)
# %% shared memory
held(mapped(WANTED, kind=0x01 | ANONYMOUS), WANTED)
# %% memory that may be dropped
held(mapped(WANTED, kind=0x08 | ANONYMOUS), WANTED)
# %% copies of a file
while result < WANTED:
    held(mapped(8, kind=PRIVATE, file=4), 8)
# %% the heap
while result < WANTED:
    held(tried(libc.sbrk, 8 * MIB), 8)
""")
CUT_OFF = """
low = stack_end - 7 * MIB
ctypes.memset(low, 1, 1)
while result < WANTED:
    tried({})
    low -= 6 * MIB
    ctypes.memset(low, 1, 1)
    held(low, 6)
"""
GROWING_STACK = {  # its lowest page becomes a stack of its own, again and again
    "pieces cut off by a hole": CUT_OFF.format("libc.munmap, low + PAGE, PAGE"),
    "pieces cut off by other rights": CUT_OFF.format(
        "libc.mprotect, low + PAGE, PAGE, READ | WRITE | EXECUTE"
    ),
}

# one page in each GiB: the kernel keeps two page tables for it, which no limit counts
PAGE_TABLES = """
for gib in range(60_000):
    page = tried(libc.mmap, (16 + gib) << 30, PAGE, READ | WRITE, PRIVATE | ANONYMOUS, -1, 0)
    ctypes.memset(page, 1, 1)
time.sleep(100)
"""
