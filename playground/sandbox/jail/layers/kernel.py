"""Calls of the Linux kernel that Python has no function for; it can be imported anywhere."""

import ctypes
import os
import platform
from dataclasses import dataclass

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
MODE_FILTER = 2


@dataclass(frozen=True, slots=True)
class Architecture:
    """What a processor architecture calls the kernel's calls.

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
    """The architecture of this process.

    Raises:
        OSError: The jail does not know its calls.
    """
    name = platform.machine()
    if name not in ARCHITECTURES or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise OSError(f"the jail knows the system calls of x86-64 and aarch64, not of {name}")
    return ARCHITECTURES[name]


_libc = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


def prctl(option: int, value: int = 0, address: int = 0) -> None:
    """Alter the calling process.

    Raises:
        OSError: The kernel refused.
    """
    assert _libc is not None
    words = (ctypes.c_ulong(word) for word in (value, address, 0, 0))
    if _libc.prctl(ctypes.c_int(option), *words) != 0:
        raise _error(f"prctl {option}")


def call(name: str, *words: int) -> int:
    """Make a call of the kernel by its name.

    Raises:
        OSError: The kernel refused, or does not know it.
    """
    assert _libc is not None
    number = ctypes.c_long(architecture().calls[name])
    answer: int = _libc.syscall(number, *(ctypes.c_ulong(word) for word in words))
    if answer < 0:
        raise _error(name)
    return answer


def _error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")
