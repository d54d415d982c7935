"""The process that ``fresh`` starts: one task, without the jail's layers."""

import importlib
import io
import os
import sys
from typing import NoReturn

from playground.sandbox.jail.performing import Task, perform
from playground.sandbox.limits import Limits

STANDARD_ERROR = 2
BEGUN = b"\n"  # JSON may begin with it


def main(home: str, told: dict[str, float], arguments_length: int) -> NoReturn:
    """Do one task.

    Args:
        home: Where it lives, ``"module:function"``.
        told: The limits.
        arguments_length: How many bytes of standard input are the arguments; the rest is the data.
    """
    result = os.dup(STANDARD_ERROR)
    os.dup2(os.open(os.devnull, os.O_WRONLY), STANDARD_ERROR)
    given = sys.stdin.buffer.read()
    module_name, function = home.split(":")
    task: Task = getattr(importlib.import_module(module_name), function)
    limits = Limits(**told)  # type: ignore[arg-type]
    _limit_computing(limits)
    os.write(result, BEGUN)
    arguments, data = io.BytesIO(given[:arguments_length]), io.BytesIO(given[arguments_length:])
    for part in perform(task, arguments, data, limits):
        sys.stdout.flush()
        rest = memoryview(part)
        while rest:
            rest = rest[os.write(result, rest) :]
    os._exit(0)


def _limit_computing(limits: Limits) -> None:
    """Bound computing where the system can; importing torch has taken some of it already."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime) + 1
    resource.setrlimit(
        resource.RLIMIT_CPU, (spent + limits.cpu_seconds, spent + limits.cpu_hard_seconds)
    )
