"""Start methods of worker processes: a fork server with torch preloaded, or spawn.

Python's own have habits that a Streamlit server cannot use: a child runs the parent's main script
again (the router, or the ``streamlit`` launcher), the fork server stays when the pool has gone, and
that of Python 3.11 ignores the parent's ``sys.path``, so that its preload fails silently outside
the project's folder. It is started here with the path in its environment. For the two others there
is no public way. ``PRIVATE_NAMES`` lists the private parts of ``multiprocessing`` that are used; a
test names those that a new version of Python no longer has. Without a part, its feature is lost: it
is logged once, and workers start all the same.
"""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import context, forkserver, spawn
from typing import Any

MAIN_SCRIPT = ("init_main_from_name", "init_main_from_path")
FORK_SERVER_END_SECONDS = 3.0  # how long its end is awaited
PRIVATE_NAMES = (
    "spawn.get_preparation_data",
    "forkserver._forkserver._lock",
    "forkserver._forkserver._forkserver_pid",
    "forkserver._forkserver._forkserver_alive_fd",
    "forkserver._forkserver._forkserver_address",
)
PRELOADED = "playground.compute.worker_process"
_thread = threading.local()
_log = logging.getLogger(__name__)
_environment_lock = threading.Lock()
_holders = 0


@contextmanager
def hide_main_script() -> Iterator[None]:
    """Within it, a child that this thread starts does not run the main script."""
    _thread.hides_main_script = True
    try:
        yield
    finally:
        _thread.hides_main_script = False


def _patch_preparation_data() -> None:
    """Make ``hide_main_script`` work; only a thread within it sees a difference."""
    original = getattr(spawn, "get_preparation_data", None)
    if original is None:
        _warn_once("get_preparation_data", "workers run the main script again")
        return

    def get_preparation_data(name: str) -> dict[str, Any]:
        data: dict[str, Any] = original(name)
        if getattr(_thread, "hides_main_script", False):
            for key in MAIN_SCRIPT:
                data.pop(key, None)
        return data

    spawn.get_preparation_data = get_preparation_data


def end_fork_server() -> None:
    """End the fork server, whose last worker has gone, and wait for it briefly.

    Left to itself it would first take torch apart, which takes a second.
    """
    try:
        pid = _forget_fork_server()
    except AttributeError as error:
        _warn_once(str(error.name), "the fork server stays until this process ends")
        return
    if pid is None:
        return
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    latest = time.monotonic() + FORK_SERVER_END_SECONDS
    with suppress(ChildProcessError):
        while os.waitpid(pid, os.WNOHANG)[0] == 0 and time.monotonic() < latest:
            time.sleep(0.01)


def _forget_fork_server() -> int | None:
    """Make ``multiprocessing`` forget its server; return the server's process id, if there is one.

    Raises:
        AttributeError: A private part is gone.
    """
    server: Any = getattr(forkserver, "_forkserver")  # noqa: B009 - the module's one, private instance
    with server._lock:
        pid, alive = server._forkserver_pid, server._forkserver_alive_fd
        address = server._forkserver_address
        if pid is None:
            return None
        server._forkserver_pid = server._forkserver_alive_fd = server._forkserver_address = None
        os.close(alive)
        with suppress(OSError, TypeError):
            os.unlink(address)  # noqa: PTH108 - the address may be bytes, or abstract
    return int(pid)


@cache
def _warn_once(name: str, consequence: str) -> None:
    _log.warning("this Python has no multiprocessing part %r, so %s", name, consequence)


_patch_preparation_data()


class SpawnedWorker(context.SpawnProcess):
    """A fresh interpreter that does not run the main script."""

    def start(self) -> None:
        """Start the process."""
        with hide_main_script():
            super().start()


class Spawn(context.SpawnContext):
    """Start workers as fresh processes: slow, works on every system, and CUDA allows it."""

    Process = SpawnedWorker


if sys.platform == "linux":

    class ForkedWorker(context.ForkServerProcess):
        """A fork of a server process that has imported torch and holds no thread."""

        def start(self) -> None:
            """Start the fork server unless it runs, and then the process."""
            with hide_main_script():
                _ensure_fork_server()
                super().start()

    class ForkServer(context.ForkServerContext):
        """Start workers in milliseconds."""

        Process = ForkedWorker


def fastest_context() -> context.BaseContext:
    """Return the fastest way to start workers that see no GPU."""
    return ForkServer() if sys.platform == "linux" else Spawn()


def _ensure_fork_server() -> None:
    """Start the fork server unless it runs, in an environment in which its preload works."""
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
    """Keep the fork server, once it runs, until ``release_fork_server`` is called as often."""
    global _holders
    with _environment_lock:
        _holders += 1


def release_fork_server() -> None:
    """End the fork server after its last holder."""
    global _holders
    with _environment_lock:
        _holders -= 1
        if _holders == 0:
            end_fork_server()
