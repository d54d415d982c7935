"""How worker processes are started: a fork server with torch preloaded, or spawn.

Python's own contexts have three habits that a Streamlit server cannot use, each cured here: a child
runs the parent's main script again (the router, or the ``streamlit`` launcher); the fork server
of Python 3.11 ignores the parent's ``sys.path``, so that its preload fails silently outside the
project's folder; and it stays when the pool has gone.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import context, forkserver, process, spawn
from typing import Any

PRELOADED = "playground.compute.preload"
MAIN_SCRIPT = ("init_main_from_name", "init_main_from_path")
PATIENCE_SECONDS = 3.0

_thread = threading.local()
_environment_lock = threading.Lock()
_holders = 0
_prepare = spawn.get_preparation_data


def _get_preparation_data(name: str) -> dict[str, Any]:
    told: dict[str, Any] = _prepare(name)
    if getattr(_thread, "starts_worker", False):
        for key in MAIN_SCRIPT:
            told.pop(key, None)
    return told


# Only a thread that starts one of our workers sees a difference.
spawn.get_preparation_data = _get_preparation_data


@contextmanager
def _starting_worker() -> Iterator[None]:
    _thread.starts_worker = True
    try:
        yield
    finally:
        _thread.starts_worker = False


class SpawnedWorker(context.SpawnProcess):
    """A fresh interpreter that knows nothing of the main script."""

    @staticmethod
    def _Popen(process_obj: process.BaseProcess) -> Any:  # noqa: N802 - multiprocessing's name
        with _starting_worker():
            return context.SpawnProcess._Popen(process_obj)


class Spawn(context.SpawnContext):
    """Start workers afresh: slow, works on every system, and CUDA allows it."""

    Process = SpawnedWorker


if sys.platform == "linux":

    class ForkedWorker(context.ForkServerProcess):
        """A fork of a server process that has imported torch and holds no thread."""

        @staticmethod
        def _Popen(process_obj: process.BaseProcess) -> Any:  # noqa: N802 - multiprocessing's name
            with _starting_worker():
                _ensure_fork_server()
                return context.ForkServerProcess._Popen(process_obj)

    class ForkServer(context.ForkServerContext):
        """Start workers in milliseconds."""

        Process = ForkedWorker


def quickest() -> context.BaseContext:
    """The fastest way to start workers that see no GPU."""
    return ForkServer() if sys.platform == "linux" else Spawn()


def _ensure_fork_server() -> None:
    """Start the fork server, or start it again, in an environment in which its preload works."""
    with _environment_lock:
        forkserver.set_forkserver_preload([PRELOADED])
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        try:
            forkserver.ensure_running()
        finally:
            if before is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = before


def hold_fork_server() -> None:
    """Keep the fork server, once it runs, until ``leave_fork_server`` is called as often."""
    global _holders
    with _environment_lock:
        _holders += 1


def leave_fork_server() -> None:
    """Let the fork server end if nobody holds it: it does so once no worker of it is left."""
    global _holders
    with _environment_lock:
        _holders -= 1
        if _holders == 0:
            _end_fork_server()


def _end_fork_server() -> None:
    """End the server, whose last worker has gone, and wait for it briefly.

    Left to itself it would first take torch apart, which takes a second.
    """
    server: Any = getattr(forkserver, "_forkserver")  # noqa: B009 - the module's one, private instance
    with server._lock:
        pid, alive = server._forkserver_pid, server._forkserver_alive_fd
        if pid is None:
            return
        server._forkserver_pid = server._forkserver_alive_fd = None
        address, server._forkserver_address = server._forkserver_address, None
        os.close(alive)
        with suppress(OSError, TypeError):
            os.unlink(address)  # noqa: PTH108 - the address may be bytes, or abstract
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    latest = time.monotonic() + PATIENCE_SECONDS
    with suppress(ChildProcessError):
        while os.waitpid(pid, os.WNOHANG)[0] == 0 and time.monotonic() < latest:
            time.sleep(0.01)
