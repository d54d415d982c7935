"""The filter is interpreted here once more, and its numbers are compared with libseccomp's."""

import ctypes
import struct

import pytest

from playground.sandbox.jail import landlock_seccomp

ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000
WANTED = {  # no newfstatat, which looks at any file; no mremap or madvise, which take memory
    *("read", "write", "close", "mmap", "munmap", "mprotect", "brk", "futex"),
    *("exit", "exit_group", "rt_sigreturn", "rt_sigaction", "rt_sigprocmask", "sigaltstack"),
    *("clock_gettime", "clock_nanosleep", "gettimeofday", "getpid", "gettid", "sched_yield"),
    *("sched_getaffinity", "getrandom", "lseek", "fstat", "restart_syscall"),
}
NONE, READ, WRITE, EXECUTE = 0, 1, 2, 4
READ_WRITE = (0, 4096, READ | WRITE, 0x22)  # what mmap and mprotect are given, and others may be


def judged(program: bytes, audit: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """Return the kernel's decision: an interpreter of classic BPF."""
    words = [word & 2**64 - 1 for word in (*arguments, *[0] * 6)]
    packet = struct.pack("=iIQ6Q", number, audit, 0, *words[:6])
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


@pytest.fixture(params=["x86_64", "aarch64"])
def arch(request):
    return landlock_seccomp.ARCHITECTURES[request.param]


@pytest.fixture
def judge(arch):
    """The filter's judgement on a call: by its number or name, and its arguments."""
    program = landlock_seccomp.seccomp_filter(arch)

    def judge(call, *arguments, audit=arch.audit):
        return judged(program, audit, arch.calls.get(call, call), arguments)

    return judge


def test_the_filter_allows_exactly_its_list(arch, judge):
    judgements = {number: judge(number, *READ_WRITE) for number in range(1024)}

    allowed = {number for number, judgement in judgements.items() if judgement == ALLOW}
    assert allowed == {arch.calls[call] for call in WANTED}
    assert set(judgements.values()) == {ALLOW, REFUSE}


def test_memory_is_private_and_where_there_was_none(judge):
    private = {judge("mmap", 0, 1, READ | WRITE, kind) for kind in (0x02, 0x22, 0x4022, 0x20022)}
    others = (0x00, 0x01, 0x21, 0x03, 0x122, 0x102, 0x08, 0x32, 0x40022)

    assert private == {ALLOW}
    assert {judge("mmap", 0, 1, READ | WRITE, kind) for kind in others} == {REFUSE}


def test_memory_is_writable_or_out_of_reach(arch, judge):
    def allowed(call):
        return {kind for kind in range(8) if judge(call, 0, 1, kind, 0x22) == ALLOW}

    writable = {WRITE, READ | WRITE, WRITE | EXECUTE, READ | WRITE | EXECUTE}
    is_arm = arch is landlock_seccomp.ARCHITECTURES["aarch64"]  # oneDNN makes its code so there
    code = {EXECUTE, READ | EXECUTE} if is_arm else set()
    assert allowed("mmap") == {NONE} | writable
    assert allowed("mprotect") == writable | code


def test_other_processes_cannot_be_asked_about(judge):
    def allowed(call):
        words = {0, 1, 2, 7, 11, 12, 4711, -1, ~4711 << 3 | 2, 0x80000000, 2**32 + 4711}
        return {word for word in words if judge(call, word) == ALLOW}

    assert allowed("sched_getaffinity") == {0}
    assert allowed("clock_gettime") == allowed("clock_nanosleep") == {0, 1, 2, 7, 11}


def test_calls_in_the_numbers_of_another_architecture_are_the_end(arch, judge):
    assert judge("read", audit=0x40000003) == KILL  # 32-bit x86
    assert judge(0x40000000 | arch.calls["read"]) == REFUSE  # x32
    assert judge(-1) == REFUSE


def test_the_numbers_are_those_of_libseccomp(arch):
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("libseccomp is not installed")
    number = library.seccomp_syscall_resolve_name_arch

    audit = ctypes.c_uint32(arch.audit)
    assert {call: number(audit, call.encode()) for call in arch.calls} == arch.calls
