"""seccomp: the few calls of the kernel that computing needs; every other one is refused.

The filter is a short program of the kernel's own (classic BPF), written here word by word, so that
the jail needs no library that a bare machine may lack. A call is refused for its arguments where

- ``mmap`` asks for memory that the limit on data does not count: shared, growing downwards, in
  large pages of the system, or read-only (memory that is out of reach has no pages, and may be
  made writable later, when it is counted); or where it replaces memory, since the kernel then
  compares the sizes and not the kinds;
- ``mprotect`` makes memory read-only, which is then not counted any more;
- ``sched_getaffinity`` or a clock is asked about another process.
"""

import ctypes
import struct
from collections.abc import Iterator

from playground.sandbox.jail.layers import kernel

LOAD, EQUAL, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
FIRST, THIRD, FOURTH = (ARGUMENTS_AT + 8 * place for place in (0, 2, 3))  # the low halves
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000  # 1 is EPERM
FOREIGN_NUMBERS = 0x40000000  # calls of the x32 variant of x86-64 begin here
PROT_NONE, PROT_WRITE = 0, 2
MAP_KIND, MAP_PRIVATE, MAP_FIXED, MAP_GROWS_DOWN, MAP_HUGE = 0x0F, 0x02, 0x10, 0x0100, 0x40000
CLOCKS = 12  # of this process or of all; a negative number means the clock of another process
MADE_BEFORE = ("landlock_create_ruleset", "landlock_restrict_self")
Instruction = tuple[int, int, int, int]  # what, steps to jump if true, if false, a number


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def program(architecture: kernel.Architecture) -> bytes:
    """The filter for an architecture, as the kernel reads it: eight bytes per instruction."""
    return b"".join(struct.pack("=HBBI", *line) for line in _instructions(architecture))


def _instructions(architecture: kernel.Architecture) -> Iterator[Instruction]:
    rules = _rules(architecture)
    yield (LOAD, 0, 0, ARCHITECTURE_AT)
    yield (EQUAL, 1, 0, architecture.audit)
    yield (RETURN, 0, 0, KILL)
    yield (LOAD, 0, 0, NUMBER_AT)
    yield (AT_LEAST, 0, 1, FOREIGN_NUMBERS)
    yield (RETURN, 0, 0, REFUSE)
    for name, number in architecture.calls.items():
        if name not in MADE_BEFORE:
            rule = rules.get(name, ((RETURN, 0, 0, ALLOW),))
            yield (EQUAL, 0, len(rule), number)
            yield from rule
    yield (RETURN, 0, 0, REFUSE)


def _rules(architecture: kernel.Architecture) -> dict[str, tuple[Instruction, ...]]:
    """The instructions that judge a call by its arguments; each rule ends with a judgement."""
    judgement = ((RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE))
    own_clock = ((LOAD, 0, 0, FIRST), (AT_LEAST, 1, 0, CLOCKS), *judgement)
    return {
        "mmap": (
            (LOAD, 0, 0, THIRD),
            (EQUAL, 2, 0, PROT_NONE),
            (AND, 0, 0, PROT_WRITE),
            (EQUAL, 0, 4, PROT_WRITE),
            (LOAD, 0, 0, FOURTH),
            (AND, 0, 0, MAP_KIND | MAP_FIXED | MAP_GROWS_DOWN | MAP_HUGE),
            (EQUAL, 0, 1, MAP_PRIVATE),
            *judgement,
        ),
        "mprotect": (
            (LOAD, 0, 0, THIRD),
            (AND, 0, 0, PROT_WRITE | architecture.code_protection),
            (EQUAL, 1, 0, 0),
            *judgement,
        ),
        "sched_getaffinity": ((LOAD, 0, 0, FIRST), (EQUAL, 0, 1, 0), *judgement),
        "clock_gettime": own_clock,
        "clock_nanosleep": own_clock,
    }


def allow_computing_only() -> None:
    """Refuse this process every call that is not on the list, with "Operation not permitted".

    ``PR_SET_NO_NEW_PRIVS`` must be set.

    Raises:
        OSError: seccomp is missing.
    """
    text = ctypes.create_string_buffer(program(kernel.architecture()))
    asked = _Program(len(text) // 8, ctypes.addressof(text))
    kernel.prctl(kernel.PR_SET_SECCOMP, kernel.MODE_FILTER, ctypes.addressof(asked))
