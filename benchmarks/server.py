"""One ``streamlit run`` process on a free port of this host; ended by its own id, never by name."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

import psutil

ROOT = Path(__file__).resolve().parents[1]
PLAYGROUND = ROOT / "app.py"
EMPTY = ROOT / "benchmarks" / "empty_app" / "app.py"
HOST = "127.0.0.1"
MEGABYTE = 2**20
STREAMLIT = (str(Path(sys.executable).with_name("streamlit")),)
OURS = "PLAYGROUND_"
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"  # each start would compile again what others have compiled
NO_SETTINGS: Mapping[str, str] = {}
START_SECONDS = 60.0
STOP_SECONDS = 8.0


class Server:
    """A running app; both apps start in the repository, so both read its .streamlit/config.toml.

    Args:
        app: The file that holds ``app = st.App(...)``.
        settings: The operator's, by their variables; those of this process do not count.
        streamlit: The command used in place of ``streamlit``.
    """

    def __init__(
        self,
        app: Path,
        settings: Mapping[str, str] = NO_SETTINGS,
        streamlit: Sequence[str] = STREAMLIT,
    ) -> None:
        self.app = app
        self._settings = settings
        self._streamlit = streamlit

    def __enter__(self) -> Self:
        """Start it, and wait until it listens."""
        self.port = free_port()
        self._log = tempfile.TemporaryFile()
        command = [*self._streamlit, "run", str(self.app)]
        command += ["--server.port", str(self.port), "--server.address", HOST]
        others = {
            name: text
            for name, text in os.environ.items()
            if name != NO_BYTECODE and not name.startswith(OURS)
        }
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**others, **self._settings},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )
        try:
            self._wait_until_it_listens()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Ask it to stop, then make it; its workers too."""
        family = [self._process.pid]
        with contextlib.suppress(psutil.Error):
            family += [each.pid for each in self.process.children(recursive=True)]
        there = [psutil.Process(pid) for pid in family if psutil.pid_exists(pid)]
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        for each in psutil.wait_procs(there, timeout=1)[1]:
            with contextlib.suppress(psutil.Error):
                each.kill()
        self._process.wait(STOP_SECONDS)
        self._log.close()

    @property
    def process(self) -> psutil.Process:
        """The web process; the workers are its children."""
        return psutil.Process(self._process.pid)

    def _wait_until_it_listens(self) -> None:
        while time.perf_counter() < self.started + START_SECONDS:
            if self._process.poll() is not None:
                raise RuntimeError(f"{self.app.name} ended at its start:\n{self.last_words()}")
            with socket.socket() as probe:
                if probe.connect_ex((HOST, self.port)) == 0:
                    return
            time.sleep(0.005)
        raise TimeoutError(f"{self.app.name} does not listen:\n{self.last_words()}")

    def last_words(self) -> str:
        """The end of what it logged."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")[-2000:]


class Apps:
    """The playground and the empty page, each started when first asked for, and then kept."""

    def __enter__(self) -> Self:
        """Start nothing yet."""
        self._running = contextlib.ExitStack()
        return self

    def __exit__(self, *_: object) -> None:
        """End what was started."""
        self._running.close()

    @cached_property
    def playground(self) -> Server:
        """The app of this repository."""
        return self._running.enter_context(Server(PLAYGROUND))

    @cached_property
    def empty(self) -> Server:
        """The yardstick."""
        return self._running.enter_context(Server(EMPTY))


def free_port(host: str = HOST) -> int:
    """A port that nobody listens on.

    On Linux nobody else is given it for as long as this process lives: a socket stays bound to it.
    That socket does not listen, so a server that sets ``SO_REUSEADDR``, as servers do, may.
    """
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((host, 0))
    port: int = bound.getsockname()[1]
    if sys.platform == "linux":
        bound.detach()
    else:
        bound.close()
    return port
