"""Programs of attackers, unchecked: the operating system alone has to hold."""

from pathlib import Path

from tests.sandbox.cells import named_cells

LIBC = "libc = ctypes.CDLL(None, use_errno=True)\nlibc.mmap.restype = ctypes.c_long\n"


def programs(name):
    return named_cells(Path(__file__).with_name("programs").joinpath(f"{name}.txt").read_text())


NOT_PERMITTED = "PermissionError: [Errno 1]"
REFUSALS = {  # that are another one
    "read with torch": "RuntimeError: unable to open file",
    "write with torch": "RuntimeError: ",
    "alter the task's data": "OSError: ",
    "start a thread": "RuntimeError: can't start new thread",
    "start a process": ("ModuleNotFoundError: ", NOT_PERMITTED),
    "raise a limit": ("ValueError: ", NOT_PERMITTED),
    "import what is not there": ("ModuleNotFoundError: ", "ImportError: ", NOT_PERMITTED),
    "use a GPU": ("AssertionError: ", "RuntimeError: "),
    "recursion": "RecursionError: maximum recursion depth",
    "leave": "SystemExit: 3",
    "interrupt": "KeyboardInterrupt",
    "an error that cannot be told": "E: ",
}
REFUSED = {
    name: (program, REFUSALS.get(name, NOT_PERMITTED))
    for name, program in programs("refused").items()
}
LIBC_CALLS = {  # they report their refusal by -1
    "the C library's open": "open(secret.encode(), 0)",
    "the C library's creat": "creat((folder + '/x').encode(), 511)",
    "openat2": "syscall(437, -100, secret.encode(), 0, 0)",
    "io_uring": "syscall(425, 1, ctypes.create_string_buffer(120))",
    "another process's memory": "process_vm_readv(os.getppid(), 0, 0, 0, 0, 0)",
    "ptrace": "ptrace(16, os.getppid(), 0, 0)",
    "vfork": "syscall(435, ctypes.create_string_buffer(88), 88)",
    "surviving the zygote": "prctl(1, 0, 0, 0, 0)",
    "another filter": "prctl(22, 1, 0, 0, 0)",
    "user namespaces": "unshare(0x10000000)",
    "mounting": "mount(b'x', b'/', b'tmpfs', 0, 0)",
    "memory that grows downwards": "mmap(0, 1 << 33, 3, 0x122, -1, 0)",
}
RESULTS = {
    "a shell": 32512,  # what a shell ends with
    "a shell that torch knows": 32512,
    "a shell that a pickle asks for": 32512,
    "a loop of forks that are forgiven": 0,
    "descriptors that were left open": [],
    "secrets in the environment": [
        *("CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LANG", "MKL_NUM_THREADS"),
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PATH", "PYTHONHASHSEED"),
    ],
    "a tensor within the limit": 6e7,
}
ANSWERED = {name: (f"{LIBC}result = libc.{call}", -1) for name, call in LIBC_CALLS.items()}
ANSWERED |= {name: (program, RESULTS[name]) for name, program in programs("answered").items()}
OUT_OF_MEMORY = programs("out_of_memory")
COMPUTING = programs("computing")
WAITING = programs("waiting")
CRASHING = programs("crashing")
