"""Puts back what belongs to the Python process: environment, folder, warnings, streams, …"""

import gc
import os
import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress


@contextmanager
def restored() -> Iterator[None]:
    """Within it, code may alter the process; afterwards the process is as it was."""
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        for keeper in (_environment, _folder, _draws, _interpreter):
            stack.enter_context(keeper())
        yield


@contextmanager
def _environment() -> Iterator[None]:
    before = dict(os.environ)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        for name, value in before.items():
            if os.environ.get(name) != value:
                os.environ[name] = value


@contextmanager
def _folder() -> Iterator[None]:
    before = None
    with suppress(OSError):  # the folder was removed: there is nothing to go back to
        before = os.open(".", os.O_RDONLY) if hasattr(os, "fchdir") else os.getcwd()  # noqa: PTH109
    try:
        yield
    finally:
        if isinstance(before, int):
            os.fchdir(before)
            os.close(before)
        elif before is not None:
            os.chdir(before)


@contextmanager
def _draws() -> Iterator[None]:
    before = random.getstate()
    try:
        yield
    finally:
        random.setstate(before)


@contextmanager
def _interpreter() -> Iterator[None]:
    streams = sys.stdin, sys.stdout, sys.stderr
    path, depth, collects = list(sys.path), sys.getrecursionlimit(), gc.isenabled()
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.path[:] = path
        sys.setrecursionlimit(depth)
        if collects:
            gc.enable()
        else:
            gc.disable()
