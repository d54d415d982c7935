"""One web process behind the proxy: it can be stopped, killed and started again on its port."""

import contextlib
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.hosting.server import ROOT, Server, command, environment, free_port, wait

STOP_SECONDS = 60.0


class Replica(Server):
    """What systemd's unit and the container start, on a port of this computer.

    Args:
        log: Where it writes.
        settings: Read at every start.
        without: The parts that are left out, by their names in ``streamlit_without``.
    """

    def __init__(
        self, log: Path, settings: dict[str, str], without: Sequence[str] = ("jail",)
    ) -> None:
        super().__init__(free_port())
        self._without = without
        self._log = log
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as opened:
            self._process = subprocess.Popen(
                command(self.port, self._without),
                cwd=ROOT,
                env=environment(**self._settings),
                stdin=subprocess.DEVNULL,
                stdout=opened,
                stderr=opened,
            )
        wait(self._process, self.port, self._log)

    def stop(self) -> None:
        """As ``systemctl stop`` does: it says goodbye to its visitors."""
        assert self._process is not None
        self._process.terminate()
        self._process.wait(STOP_SECONDS)

    def kill(self) -> list[psutil.Process]:
        """As when the memory is gone: no goodbye. Returns the processes that it leaves behind."""
        assert self._process is not None
        left = psutil.Process(self._process.pid).children(recursive=True)
        self._process.kill()
        self._process.wait(STOP_SECONDS)
        return left

    def end(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop()


@contextmanager
def running(log: Path, **settings: str) -> Iterator[Replica]:
    replica = Replica(log, settings)
    try:
        replica.start()
        yield replica
    finally:
        replica.end()


def end_now(left: list[psutil.Process]) -> None:
    """End what a killed replica has left; systemd and containers do that by themselves."""
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=STOP_SECONDS)
