"""seccomp: the few calls of the kernel that computing needs; every other one is refused.

The filter is a short program of the kernel's own (classic BPF), written here word by word, so that
the jail needs no library that a bare machine may lack. One call is looked at more closely:
``mmap`` may make private memory only, since shared memory and memory that grows downwards are not
counted by the limit on data.
"""

import ctypes
import struct
from collections.abc import Iterator

from playground.sandbox.jail.layers import kernel

LOAD, EQUAL, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
NUMBER_AT, ARCHITECTURE_AT, FOURTH_ARGUMENT_AT = 0, 4, 40
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000  # 1 is EPERM
FOREIGN_NUMBERS = 0x40000000  # calls of the x32 variant of x86-64 begin here
MAP_KIND, MAP_PRIVATE, MAP_GROWS_DOWN = 0x0F, 0x02, 0x0100
MADE_BEFORE = ("landlock_create_ruleset", "landlock_restrict_self")
LOOKED_AT = "mmap"
ALLOWED = tuple(name for name in kernel.CALLS if name not in (*MADE_BEFORE, LOOKED_AT))
Instruction = tuple[int, int, int, int]  # what, steps to jump if true, if false, a number


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def program(architecture: kernel.Architecture) -> bytes:
    """The filter for an architecture, as the kernel reads it: eight bytes per instruction."""
    return b"".join(struct.pack("=HBBI", *line) for line in _instructions(architecture))


def _instructions(architecture: kernel.Architecture) -> Iterator[Instruction]:
    yield (LOAD, 0, 0, ARCHITECTURE_AT)
    yield (EQUAL, 1, 0, architecture.audit)
    yield (RETURN, 0, 0, KILL)
    yield (LOAD, 0, 0, NUMBER_AT)
    yield (AT_LEAST, 0, 1, FOREIGN_NUMBERS)
    yield (RETURN, 0, 0, REFUSE)
    for name in ALLOWED:
        yield (EQUAL, 0, 1, architecture.calls[name])
        yield (RETURN, 0, 0, ALLOW)
    yield (EQUAL, 1, 0, architecture.calls[LOOKED_AT])
    yield (RETURN, 0, 0, REFUSE)
    yield (LOAD, 0, 0, FOURTH_ARGUMENT_AT)
    yield (AND, 0, 0, MAP_KIND | MAP_GROWS_DOWN)
    yield (EQUAL, 0, 1, MAP_PRIVATE)
    yield (RETURN, 0, 0, ALLOW)
    yield (RETURN, 0, 0, REFUSE)


def allow_computing_only() -> None:
    """Refuse this process every call that is not on the list, with "Operation not permitted".

    ``PR_SET_NO_NEW_PRIVS`` must be set.

    Raises:
        OSError: seccomp is missing.
    """
    text = ctypes.create_string_buffer(program(kernel.architecture()))
    asked = _Program(len(text) // 8, ctypes.addressof(text))
    kernel.prctl(kernel.PR_SET_SECCOMP, kernel.MODE_FILTER, ctypes.addressof(asked))
