"""Programs of attackers, by what they are after, each with the beginning of its refusal.

They run without any check of their syntax: the operating system alone has to hold.
"""

NOT_PERMITTED = "PermissionError: [Errno 1]"
LIBC = "libc = ctypes.CDLL(None, use_errno=True)\nlibc.mmap.restype = ctypes.c_long\n"

REFUSED = {
    # files
    "read a file": ("open(secret).read()", NOT_PERMITTED),
    "read a file by its descriptor's folder": ("open('/proc/self/fd/4').read()", NOT_PERMITTED),
    "list the root": ("os.listdir('/')", NOT_PERMITTED),
    "read the parent's environment": ("open(f'/proc/{os.getppid()}/environ')", NOT_PERMITTED),
    "read its own memory map": ("open('/proc/self/maps')", NOT_PERMITTED),
    "learn about a file": ("os.stat(secret)", NOT_PERMITTED),
    "read with torch": (
        "torch.from_file(secret, size=9, dtype=torch.uint8)",
        "RuntimeError: unable to open file",
    ),
    "write a file": ("open(folder + '/written', 'w')", NOT_PERMITTED),
    "write with torch": ("torch.save(torch.ones(1), folder + '/written')", "RuntimeError: "),
    "write an archive": (
        "import zipfile\nzipfile.ZipFile(folder + '/written', 'w')",
        NOT_PERMITTED,
    ),
    "read an archive": ("import zipfile\nzipfile.ZipFile(secret)", NOT_PERMITTED),
    "append to a file": ("open(secret, 'a')", NOT_PERMITTED),
    "truncate a file": ("os.truncate(secret, 0)", NOT_PERMITTED),
    "delete a file": ("os.unlink(secret)", NOT_PERMITTED),
    "rename a file": ("os.rename(secret, folder + '/renamed')", NOT_PERMITTED),
    "link a file": ("os.link(secret, folder + '/linked')", NOT_PERMITTED),
    "make a link": ("os.symlink('/etc', folder + '/linked')", NOT_PERMITTED),
    "make a folder": ("os.mkdir(folder + '/made')", NOT_PERMITTED),
    "make a pipe with a name": ("os.mkfifo(folder + '/made')", NOT_PERMITTED),
    "alter permissions": ("os.chmod(secret, 0)", NOT_PERMITTED),
    "write into shared memory": ("open('/dev/shm/written', 'w')", NOT_PERMITTED),
    "make a file in memory": ("os.memfd_create('x')", NOT_PERMITTED),
    "alter the task's data": ("os.write(4, b'x')", "OSError: "),
    "leave the folder": ("os.chdir(folder)", NOT_PERMITTED),
    # programs, processes, threads
    "start a program": ("subprocess.run(['/bin/true'])", NOT_PERMITTED),
    "become a program": ("os.execv('/bin/true', ['true'])", NOT_PERMITTED),
    "spawn a program": ("os.posix_spawn('/bin/true', ['true'], {})", NOT_PERMITTED),
    "fork": ("os.fork()", NOT_PERMITTED),
    "fork with a terminal": ("os.forkpty()", NOT_PERMITTED),
    "fork bomb": ("while True: os.fork()", NOT_PERMITTED),
    "start a thread": (
        "threading.Thread(target=print).start()",
        "RuntimeError: can't start new thread",
    ),
    "start a process": (
        "multiprocessing.Process(target=print).start()",
        ("ModuleNotFoundError: ", NOT_PERMITTED),
    ),
    # network
    "make a socket": ("socket.socket()", NOT_PERMITTED),
    "make a pair of sockets": ("socket.socketpair()", NOT_PERMITTED),
    "connect": ("socket.create_connection(('127.0.0.1', port), 1)", NOT_PERMITTED),
    "send a datagram": (
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', udp_port))",
        NOT_PERMITTED,
    ),
    # signals
    "see whether the parent lives": ("os.kill(os.getppid(), 0)", NOT_PERMITTED),
    "kill the parent": ("os.kill(os.getppid(), 9)", NOT_PERMITTED),
    "kill everybody": ("os.kill(-1, 9)", NOT_PERMITTED),
    "kill itself": ("os.kill(os.getpid(), 9)", NOT_PERMITTED),
    "see whether a process exists": ("os.sched_getaffinity(1)", NOT_PERMITTED),
    "read the clock of a process": ("time.clock_gettime(~1 << 3 | 2)", NOT_PERMITTED),
    "take hold of the parent": ("os.pidfd_open(os.getppid())", NOT_PERMITTED),
    # getting rid of the layers
    "raise a limit": (
        "resource.setrlimit(resource.RLIMIT_CPU, (9, 9))",
        ("ValueError: ", NOT_PERMITTED),
    ),
    "become root": ("os.setuid(0)", NOT_PERMITTED),
    "leave the group": ("os.setsid()", NOT_PERMITTED),
    "be nice no more": ("os.nice(-5)", NOT_PERMITTED),
    "choose processors": ("os.sched_setaffinity(0, {0})", NOT_PERMITTED),
    # what is left
    "import what is not there": (
        "import xmlrpc.server",
        ("ModuleNotFoundError: ", "ImportError: ", NOT_PERMITTED),
    ),
    "use a GPU": ("torch.ones(1, device='cuda')", ("AssertionError: ", "RuntimeError: ")),
    "recursion": ("def f(n): return f(n + 1)\nf(0)", "RecursionError: maximum recursion depth"),
    "share memory": ("mmap.mmap(-1, 1 << 20)", NOT_PERMITTED),
    "leave": ("raise SystemExit(3)", "SystemExit: 3"),
    "interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "an error that cannot be told": (
        "class E(Exception):\n    def __str__(self): raise self\nraise E",
        "E: ",
    ),
}

LIBC_CALLS = {  # they tell their refusal by -1
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
ANSWERED = {
    **{name: (f"{LIBC}result = libc.{call}", -1) for name, call in LIBC_CALLS.items()},
    # what a shell ends with
    "a shell": ("result = os.system('id > ' + folder + '/id')", 32512),
    "a shell that torch knows": ("result = torch.os.system('id > ' + folder + '/id')", 32512),
    "a shell that a pickle asks for": (
        "import pickle\nresult = pickle.loads(b'cposix\\nsystem\\n(Vid\\ntR.')",
        32512,
    ),
    "a loop of forks that are forgiven": (
        "result = 0\nfor _ in range(1000):\n    try: os.fork(); result += 1\n"
        "    except OSError: pass",
        0,
    ),
    "descriptors that were left open": (
        "result = []\nfor d in range(6, 1000):\n    try: os.fstat(d); result.append(d)\n"
        "    except OSError: pass",
        [],
    ),
    "secrets in the environment": (
        "result = sorted(os.environ)",
        [
            "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LANG", "MKL_NUM_THREADS",
            "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PATH", "PYTHONHASHSEED",
        ],
    ),
    "a tensor within the limit": ("result = torch.ones(6 * 10**7).sum().item()", 6e7),
}  # fmt: skip

OUT_OF_MEMORY = {
    "bytes": "bytearray(4 << 30)",
    "text": "'a' * 10**9",
    "a formatted number": "f'{1:1000000000}'",
    "a tensor without end": "torch.empty(10**12)",
    "a tensor": "torch.ones(10**9)",
    "tensors without end": "l = []\nwhile True: l.append(torch.ones(250_000))",
    "a list that doubles": "l = [0]\nwhile True: l += l",
    "forgiven, and again": (
        "l = []\nwhile True:\n    try: l.append(bytearray(1 << 20))\n"
        "    except MemoryError:\n        l.append(l[-1]); raise"
    ),
}

COMPUTING = {
    "a busy loop": "while True: pass",
    "a loop that forgives": "while True:\n    try: 1 / 0\n    except Exception: pass",
    "a loop that forgives everything": "while True:\n    try: 1 / 0\n    except: pass",
    "a large power": "a = 7 ** (6 * 10**6)\nwhile True: a * a",
    "matrix products": "x = torch.ones(4000, 4000)\nfor _ in range(500): x @ x",
    "a loop in C": "sum(range(10**12))",
}

WAITING = {
    "sleeping": "time.sleep(100)",
    "a lock": "lock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    "signals ignored": (
        "for n in (1, 2, 3, 13, 15, 24): signal.signal(n, signal.SIG_IGN)\ntime.sleep(100)"
    ),
}

CRASHING = {
    "a null pointer": "ctypes.string_at(0)",
    "a sparse matrix with a lie in it": (
        "m = torch.sparse_csr_tensor(torch.tensor([0, 1 << 20]), torch.tensor([0]),"
        " torch.tensor([1.0]), size=(1, 4), check_invariants=False)\n"
        "torch.mm(m, torch.ones(4, 1))"
    ),
    "abort": "os.abort()",
}
