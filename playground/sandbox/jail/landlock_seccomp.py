"""The layers of the kernel that a child applies to itself, each alone and each for good.

Landlock forbids all files, TCP ports and signals to outside, whatever their permissions say.

seccomp allows the few system calls that computing needs and refuses every other one. Its filter is
a short program of the kernel's own (classic BPF), written here word by word, so that the jail needs
no library that a bare machine may lack. A call is refused for its arguments where

- ``mmap`` asks for memory that the limit on data does not count: shared, growing downwards, in
  large pages of the system, or read-only (memory that is out of reach has no pages, and may be
  made writable later, when it is counted); or where it replaces memory, since the kernel then
  compares the sizes and not the kinds;
- ``mprotect`` makes memory read-only, which is then not counted any more;
- ``sched_getaffinity`` or a clock is asked about another process.

The module can be imported on any system.
"""

import ctypes
import os
import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
MODE_FILTER = 2
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}  # how many rights on files each version knows
TCP_SINCE, SCOPES_SINCE = 4, 6
BIND_AND_CONNECT = 0b11
SIGNALS_AND_ABSTRACT_SOCKETS = 0b11
ASKS_FOR_VERSION = 1
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


@dataclass(frozen=True, slots=True)
class Architecture:
    """The numbers of the system calls on a processor architecture.

    Attributes:
        audit: Its number in seccomp's data.
        calls: The number of each call that the jail allows or makes.
        code_protection: What oneDNN gives ``mprotect`` for the code it generates, beside or in
            place of ``PROT_WRITE``.
    """

    audit: int
    calls: dict[str, int]
    code_protection: int = 0


CALLS = {  # on x86-64, on aarch64
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "futex": (202, 98),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "gettimeofday": (96, 169),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getrandom": (318, 278),
    "restart_syscall": (219, 128),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
}
PROT_EXEC = 4
ARCHITECTURES = {
    "x86_64": Architecture(0xC000003E, {name: numbers[0] for name, numbers in CALLS.items()}),
    "aarch64": Architecture(
        0xC00000B7, {name: numbers[1] for name, numbers in CALLS.items()}, PROT_EXEC
    ),
}


def architecture() -> Architecture:
    """Return the architecture of this process.

    Raises:
        OSError: The jail does not know its calls.
    """
    name = platform.machine()
    if name not in ARCHITECTURES or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise OSError(f"the jail knows the system calls of x86-64 and aarch64, not of {name}")
    return ARCHITECTURES[name]


_libc = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


def prctl(option: int, value: int = 0, address: int = 0) -> None:
    """Set an attribute of the calling process, as prctl(2).

    Raises:
        OSError: The kernel refused.
    """
    assert _libc is not None
    words = (ctypes.c_ulong(word) for word in (value, address, 0, 0))
    if _libc.prctl(ctypes.c_int(option), *words) != 0:
        raise _os_error(f"prctl {option}")


def system_call(name: str, *words: int) -> int:
    """Make a system call by its name.

    Raises:
        OSError: The kernel refused, or does not know it.
    """
    assert _libc is not None
    number = ctypes.c_long(architecture().calls[name])
    answer: int = _libc.syscall(number, *(ctypes.c_ulong(word) for word in words))
    if answer < 0:
        raise _os_error(name)
    return answer


def _os_error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


def landlock_version() -> int:
    """Return the kernel's version of Landlock; 0 if it is absent or switched off."""
    try:
        return system_call("landlock_create_ruleset", 0, 0, ASKS_FOR_VERSION)
    except OSError:
        return 0


def apply_landlock() -> None:
    """Forbid this process everything that Landlock can forbid, without an exception.

    Raises:
        OSError: Landlock is missing.
    """
    known = landlock_version()
    if not known:
        raise OSError("Landlock is missing or switched off in this kernel")
    rights = max(bits for since, bits in FILE_RIGHTS.items() if since <= known)
    ruleset = _Ruleset(
        (1 << rights) - 1,
        BIND_AND_CONNECT if known >= TCP_SINCE else 0,
        SIGNALS_AND_ABSTRACT_SOCKETS if known >= SCOPES_SINCE else 0,
    )
    size = 8 if known < TCP_SINCE else 16 if known < SCOPES_SINCE else 24
    descriptor = system_call("landlock_create_ruleset", ctypes.addressof(ruleset), size, 0)
    system_call("landlock_restrict_self", descriptor, 0)
    os.close(descriptor)


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def seccomp_filter(architecture: Architecture) -> bytes:
    """Encode the filter of an architecture as the kernel reads it: eight bytes per instruction."""
    return b"".join(struct.pack("=HBBI", *line) for line in _instructions(architecture))


def _instructions(architecture: Architecture) -> Iterator[Instruction]:
    rules = _argument_rules(architecture)
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


def _argument_rules(architecture: Architecture) -> dict[str, tuple[Instruction, ...]]:
    """Return the instructions that judge a call by its arguments; each rule ends in a judgement."""
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


def apply_seccomp() -> None:
    """Refuse this process every call that is not on the list, with "Operation not permitted".

    ``PR_SET_NO_NEW_PRIVS`` must be set.

    Raises:
        OSError: seccomp is missing.
    """
    text = ctypes.create_string_buffer(seccomp_filter(architecture()))
    asked = _Filter(len(text) // 8, ctypes.addressof(text))
    prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.addressof(asked))
