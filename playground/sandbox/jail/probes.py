"""What the trial of the jail has a child do: what must fail, what must work, what must be ended."""

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
from playground.sandbox.json_values import JsonObject, JsonValue
from playground.sandbox.limits import Limits

__all__ = ["probe", "warm_up"]
SHELL = "/bin/sh"
FLOOD_BYTES = b"x" * 2**16


def probe(arguments: JsonObject, data: BinaryIO, limits: Limits) -> JsonObject:
    """Do one of the acts.

    Args:
        arguments: ``act``, and what it needs: ``secret`` and ``target`` are paths, ``port`` is one
            on which the trial listens.
        data: Read back in ``compute``.
        limits: Not needed.
    """
    del limits
    match arguments["act"]:
        case "forbidden":
            return {name: _attempt(act) for name, act in _forbidden(arguments).items()}
        case "compute":
            return {**_compute(), "data": data.read().decode("ascii")}
        case "spin":
            _spin()
        case "flood":
            _flood()
        case "sleep":
            time.sleep(3_600)
    return {}


def _attempt(act: Callable[[], object]) -> JsonValue:
    """The error with which an act was refused; ``None`` if it was not."""
    try:
        act()
    except Exception as error:  # noqa: BLE001 - which one is judged outside
        return f"{type(error).__name__}: {error}"
    return None


def _forbidden(arguments: JsonObject) -> dict[str, Callable[[], object]]:
    """What must fail; the last ones would leave this function if they did not."""
    secret, target, port = arguments["secret"], Path(str(arguments["target"])), arguments["port"]
    return {
        "read a file": lambda: Path(str(secret)).read_text("utf-8"),
        "write a file": lambda: (target / "written").write_text("x", "utf-8"),
        "list a folder": lambda: os.listdir("/"),  # noqa: PTH208 - as an attacker would
        "learn about a file": lambda: Path(str(secret)).stat(),
        "read another process": lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
        "make a socket": socket.socket,
        "connect": lambda: socket.create_connection(("127.0.0.1", int(str(port))), 1),
        "signal another process": lambda: os.kill(os.getppid(), 0),
        "take memory that is not counted": lambda: mmap.mmap(-1, mmap.PAGESIZE),
        "start a thread": lambda: threading.Thread(target=time.sleep, args=(0,)).start(),
        "fork": _fork,
        "start a program": lambda: os.execv(SHELL, [SHELL, "-c", f"> '{target}/started'"]),
    }


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
    """What students do, with ones in all weights so that the results are known beforehand."""
    print("printed")  # noqa: T201 - the trial reads it
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
