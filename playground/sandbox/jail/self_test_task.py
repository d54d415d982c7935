"""The task of the self-test: acts that must fail, acts that must work, acts that must be ended."""

import ctypes
import mmap
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NoReturn

import torch
from torch import nn

from playground.sandbox.jail.warm_up import warm_up
from playground.sandbox.limits import Limits
from playground.sandbox.schema import JsonObject, JsonValue

__all__ = ["self_test", "warm_up"]
SHELL = "/bin/sh"
FLOOD_BYTES = b"x" * 2**16
FIXED, MAY_MOVE, DONT_NEED = 0x10, 1, 4  # of mmap, mremap, madvise


def self_test(arguments: JsonObject, data: BinaryIO, limits: Limits) -> JsonObject:
    """Do one of the acts.

    Args:
        arguments: ``act``, and what it needs: ``secret`` and ``target`` are paths, ``port`` is one
            on which the self-test listens, ``process`` is the self-test's.
        data: Read back in ``compute``.
        limits: How large the stack may be.
    """
    match arguments["act"]:
        case "forbidden":
            return {name: _attempt(act) for name, act in _forbidden(arguments).items()}
        case "compute":
            return {**_compute(), "data": data.read().decode("ascii")}
        case "grow":
            _grow(limits.stack_bytes)
        case "spin":
            _spin()
        case "flood":
            _flood()
        case "sleep":
            time.sleep(3_600)
    return {}


def _attempt(act: Callable[[], object]) -> JsonValue:
    """Return the error with which an act was refused; ``None`` if it was not."""
    try:
        act()
    except Exception as error:  # noqa: BLE001 - the self-test judges which one
        return f"{type(error).__name__}: {error}"
    return None


def _forbidden(arguments: JsonObject) -> dict[str, Callable[[], object]]:
    """Return the acts that must fail; the last ones would leave this function if they did not."""
    secret, target, port = arguments["secret"], Path(str(arguments["target"])), arguments["port"]
    process, page = int(str(arguments["process"])), mmap.PAGESIZE
    return {
        "read a file": lambda: Path(str(secret)).read_text("utf-8"),
        "write a file": lambda: (target / "written").write_text("x", "utf-8"),
        "list a folder": lambda: os.listdir("/"),  # noqa: PTH208 - as an attacker would
        "learn about a file": lambda: Path(str(secret)).stat(),
        "read another process": lambda: Path(f"/proc/{process}/environ").read_bytes(),
        "see another process": lambda: os.sched_getaffinity(process),
        "read another process's clock": lambda: time.clock_gettime(~process << 3 | 2),
        "make a socket": socket.socket,
        "connect": lambda: socket.create_connection(("127.0.0.1", int(str(port))), 1),
        "signal another process": lambda: os.kill(process, 0),
        "take memory that is not counted": lambda: mmap.mmap(-1, page),
        "take memory that can only be read": lambda: _page(mmap.PROT_READ),
        "make memory read-only": lambda: _call("mprotect", _page(), page, mmap.PROT_READ),
        "enlarge memory": lambda: _call("mremap", _page(), page, 2 * page, MAY_MOVE),
        "replace memory": lambda: _page(kind=FIXED, at=_page()),
        "advise on memory": lambda: _call("madvise", _page(), page, DONT_NEED),
        "start a thread": lambda: threading.Thread(target=time.sleep, args=(0,)).start(),
        "fork": _fork,
        "start a program": lambda: os.execv(SHELL, [SHELL, "-c", f"> '{target}/started'"]),
    }


def _page(access: int = mmap.PROT_READ | mmap.PROT_WRITE, kind: int = 0, at: int = 0) -> int:
    kind |= mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return _call("mmap", at, mmap.PAGESIZE, access, kind, -1, 0)


def _call(name: str, *words: int) -> int:
    """Call a function of the C library.

    Raises:
        OSError: It failed.
    """
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    function.restype = ctypes.c_ssize_t
    answer: int = function(*map(ctypes.c_ssize_t, words))
    if answer == -1:
        raise OSError(ctypes.get_errno(), name)
    return answer


def _grow(stack_bytes: int) -> None:
    """Cut the lowest page off the stack and let it grow; the kernel must end this process."""
    libc = ctypes.CDLL(None)
    end = ctypes.c_void_p.in_dll(libc, "__libc_stack_end").value or 0
    cut = (end - stack_bytes + 2**20) & -mmap.PAGESIZE
    _call("munmap", cut, mmap.PAGESIZE)
    ctypes.string_at(cut - 2**21, 1)


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _spin() -> NoReturn:
    while True:
        pass


def _flood() -> NoReturn:
    while True:
        os.write(1, FLOOD_BYTES)


def _compute() -> dict[str, JsonValue]:
    """Train as students do, with ones in all weights so that the results are known beforehand."""
    print("printed")  # noqa: T201 - the self-test reads it
    linear, convolution = nn.Linear(4, 3, bias=False), nn.Conv2d(1, 1, 3, bias=False)
    recurring, attention = nn.LSTM(4, 5), nn.MultiheadAttention(4, 2)
    layers = nn.ModuleList([linear, convolution, recurring, attention])
    nn.init.ones_(linear.weight)
    nn.init.ones_(convolution.weight)
    optimizer = torch.optim.Adam(layers.parameters(), lr=0.25)
    loss = linear(torch.ones(2, 4)).sum()
    convolved = convolution(torch.ones(1, 1, 5, 5)).sum()
    recurrent, _ = recurring(torch.ones(2, 3, 4))
    attended, _ = attention(*[torch.ones(2, 3, 4)] * 3)
    (loss + convolved + recurrent.sum() + attended.sum()).backward()
    optimizer.step()
    return {
        "loss": loss.item(),
        "weight": round(linear.weight[0, 0].item(), 3),
        "convolution": convolved.item(),
        "kernel": round(convolution.weight[0, 0, 0, 0].item(), 3),
        "gradients": sum(each.grad is not None for each in layers.parameters()),
        "recurrent": list(recurrent.shape),
        "attended": list(attended.shape),
        "raised": _attempt(lambda: torch.ones(2, 3) @ torch.ones(2, 3)),
    }
