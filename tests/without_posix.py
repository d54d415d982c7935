"""Takes from the project's modules what only POSIX or Linux has, as on Windows.

Python's own library and other packages keep it: on Windows they would come in another form. A
process and its children are changed by ``environment``, before they import anything.
"""

import builtins
import importlib
import os
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
OURS = ("app", "hosting", "pages", "playground", "ui")
MISSING_MODULES = (
    *("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"),
    *(
        f"playground.sandbox.jail.{name}"
        for name in ("child", "landlock_seccomp", "resources", "zygote")
    ),
)
MISSING_NAMES = {  # of modules that Windows has
    "mmap": ("MAP_ANONYMOUS", "MAP_PRIVATE", "MAP_SHARED", "PROT_READ", "PROT_WRITE"),
    "os": (
        *("chown", "fchdir", "fork", "forkpty", "geteuid", "getgid", "getloadavg", "getpgid"),
        *("getpriority", "getsid", "getuid", "initgroups", "killpg", "memfd_create", "mkfifo"),
        *("nice", "pidfd_open", "pipe2", "pread", "register_at_fork", "sched_getaffinity"),
        *("sched_setaffinity", "setgroups", "setpgid", "setpriority", "setresgid", "setresuid"),
        *("setsid", "setuid", "sysconf", "uname", "wait", "wait4", "PRIO_PROCESS", "WNOHANG"),
    ),
    "select": ("epoll", "poll", "POLLIN"),
    "signal": (
        *("alarm", "pidfd_send_signal", "pthread_sigmask", "setitimer", "SIGALRM", "SIGCHLD"),
        *("SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGXCPU"),
    ),
    "socket": ("AF_UNIX", "recv_fds", "send_fds", "SCM_RIGHTS"),
    "sys": (),
    "time": ("clock_gettime", "tzset"),
}
DIFFERENT: dict[str, dict[str, Any]] = {"os": {"name": "nt"}, "sys": {"platform": "win32"}}
START = f"""
import sys
sys.path.append({str(ROOT)!r})
from tests import without_posix
without_posix.install()
sys.path.remove({str(ROOT)!r})
"""
_import = builtins.__import__


class Reduced(ModuleType):
    """A module as Windows has it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__dict__.update(DIFFERENT.get(name, {}))

    def __getattr__(self, name: str) -> Any:
        if name in MISSING_NAMES[self.__name__]:
            raise AttributeError(f"{self.__name__}.{name} is not on Windows")
        return getattr(importlib.import_module(self.__name__), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(importlib.import_module(self.__name__), name, value)


REDUCED = {name: Reduced(name) for name in MISSING_NAMES}


def install() -> None:
    """From now on, what the project's modules import is as on Windows."""
    builtins.__import__ = _import_as_on_windows


def _import_as_on_windows(name: str, *args: Any, **named: Any) -> Any:
    scope, _, wanted = (*args, None, None, None)[:3]  # those of an ``import`` have no names
    if not _is_ours(str((scope or {}).get("__file__"))):
        return _import(name, *args, **named)
    for each in (name, *(f"{name}.{part}" for part in wanted or ())):
        if each in MISSING_MODULES:
            raise ModuleNotFoundError(f"No module named {each!r}", name=each)
    found = _import(name, *args, **named)
    return REDUCED.get(found.__name__, found)


def _is_ours(file: str) -> bool:
    if not file.startswith(f"{ROOT}{os.sep}"):
        return False
    return file.removeprefix(f"{ROOT}{os.sep}").partition(os.sep)[0].removesuffix(".py") in OURS


def environment(folder: Path) -> dict[str, str]:
    """Variables with which Python does without POSIX; it imports a file in the folder."""
    (folder / "sitecustomize.py").write_text(START, "utf-8")
    return {"PYTHONPATH": str(folder)}
