"""Start methods of worker processes: a fork server with torch preloaded, or spawn.

The fork server of Python 3.11 ignores the parent's ``sys.path``, so that its preload fails silently
outside the project's folder. It is started here with the path in its environment.
"""

import os
import sys
import threading
from multiprocessing import context, forkserver

from playground.compute import multiprocessing_internals
from playground.compute.multiprocessing_internals import hide_main_script

PRELOADED = "playground.compute.preload"
_environment_lock = threading.Lock()
_holders = 0


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
            multiprocessing_internals.end_fork_server()
