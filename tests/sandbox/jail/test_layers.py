"""The filter is interpreted here once more, and its numbers are compared with libseccomp's."""

import ctypes
import struct

import pytest

from playground.sandbox.jail.layers import kernel, seccomp

ARCHES = ("x86_64", "aarch64")
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000
WANTED = {  # the fact sheet's list, less newfstatat, with which any file can be looked at
    *("read", "write", "close", "mmap", "munmap", "mprotect", "brk", "madvise", "mremap", "futex"),
    *("exit", "exit_group", "rt_sigreturn", "rt_sigaction", "rt_sigprocmask", "sigaltstack"),
    *("clock_gettime", "clock_nanosleep", "gettimeofday", "getpid", "gettid", "sched_yield"),
    *("sched_getaffinity", "getrandom", "lseek", "fstat", "restart_syscall"),
}


def judged(program: bytes, audit: int, number: int, flags: int = 0) -> int:
    """What the kernel would do: an interpreter of classic BPF."""
    packet = struct.pack("=iIQ6Q", number, audit, 0, 0, 0, 0, flags, 0, 0)
    lines = list(struct.iter_unpack("=HBBI", program))
    word = at = 0
    while True:
        code, if_true, if_false, k = lines[at]
        at += 1
        match code:
            case 0x20:
                (word,) = struct.unpack_from("=I", packet, k)
            case 0x54:
                word &= k
            case 0x15:
                at += if_true if word == k else if_false
            case 0x35:
                at += if_true if word >= k else if_false
            case 0x06:
                return k
            case _:
                raise AssertionError(code)


@pytest.mark.parametrize("name", ARCHES)
def test_the_filter_allows_exactly_its_list(name: str) -> None:
    arch = kernel.ARCHITECTURES[name]
    program = seccomp.program(arch)

    allowed = {n for n in range(1024) if judged(program, arch.audit, n, flags=0x22) == ALLOW}

    assert allowed == {arch.calls[call] for call in WANTED}
    assert {judged(program, arch.audit, n, 0x22) for n in set(range(1024)) - allowed} == {REFUSE}


@pytest.mark.parametrize("name", ARCHES)
def test_memory_may_be_private_only(name: str) -> None:
    arch = kernel.ARCHITECTURES[name]
    program, mmap = seccomp.program(arch), arch.calls["mmap"]

    private = [0x02, 0x22, 0x4022, 0x20022]
    others = [0x00, 0x01, 0x21, 0x03, 0x122, 0x102, 0x08]
    assert {judged(program, arch.audit, mmap, flags) for flags in private} == {ALLOW}
    assert {judged(program, arch.audit, mmap, flags) for flags in others} == {REFUSE}


@pytest.mark.parametrize("name", ARCHES)
def test_calls_in_the_numbers_of_another_architecture_are_the_end(name: str) -> None:
    arch = kernel.ARCHITECTURES[name]
    program = seccomp.program(arch)

    assert judged(program, 0x40000003, arch.calls["read"]) == KILL  # 32-bit x86
    assert judged(program, arch.audit, 0x40000000 | arch.calls["read"]) == REFUSE  # x32
    assert judged(program, arch.audit, -1) == REFUSE


@pytest.mark.parametrize("name", ARCHES)
def test_the_numbers_are_those_of_libseccomp(name: str) -> None:
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("libseccomp is not installed")
    arch = kernel.ARCHITECTURES[name]

    numbers = {
        call: library.seccomp_syscall_resolve_name_arch(ctypes.c_uint32(arch.audit), call.encode())
        for call in arch.calls
    }

    assert numbers == arch.calls
