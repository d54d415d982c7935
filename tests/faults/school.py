"""A hosted server whose parts can be broken, and what it has written down."""

import asyncio
import json
import resource
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from benchmarks.server import MEGABYTE
from tests.hosting.server import GATED, TOKEN, Server
from tests.waiting import wait_until

BUSY_SECONDS = 0.1  # of computing, by which a process is known to be at work
SELECT = "SELECT number, lesson, step, said FROM answers ORDER BY number"
LIMITS = {"visitors_per_minute": "100", "lab_runs_per_minute": "1000"}


class School(Server):
    """The server and, below a folder, its data."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self._away = folder / "away"
        settings = {**GATED, **LIMITS, "metrics_token": TOKEN, "data_folder": str(self.data)}
        super().__init__(folder, settings)

    @property
    def web(self) -> psutil.Process:
        assert self.process is not None
        return psutil.Process(self.process.pid)

    @property
    def megabytes(self) -> float:
        return float(self.web.memory_info().rss) / MEGABYTE

    def answers(self) -> list[tuple[int, str, str, str]]:
        """The answers in the database: number, lesson, step, what was said."""
        with closing(sqlite3.connect(self.data / "progress.sqlite")) as database:
            return list(database.execute(SELECT))

    def _health(self) -> Any:
        return json.loads(self.ask_as_operator("/api/health"))

    async def has_written_all(self) -> None:
        def is_so() -> bool:
            health = self._health()
            return bool(health["parts"]["database"] == "ok" and health["progress_waiting"] == 0)

        await asyncio.to_thread(wait_until, is_so)

    async def has_lost_database(self) -> None:
        await asyncio.to_thread(wait_until, lambda: self._health()["parts"]["database"] == "down")

    # -- faults ------------------------------------------------------------------------------

    def busy_below(self, name: str) -> tuple[psutil.Process, psutil.Process]:
        """The jail's ``zygote`` or the workers' ``forkserver``, and a process below it at work.

        That is the first one to compute for a while from now on. On a busy computer the jail may
        replace its zygote meanwhile.
        """
        before: dict[int, float] = {}

        def find() -> tuple[psutil.Process, psutil.Process] | None:
            with suppress(psutil.Error):  # one has just ended
                for above in self.web.children():
                    if name not in " ".join(above.cmdline()):
                        continue
                    for each in above.children(recursive=True):
                        used = sum(each.cpu_times()[:2])
                        if used - before.setdefault(each.pid, used) > BUSY_SECONDS:
                            return above, each
            return None

        return wait_until(find)

    @contextmanager
    def without_database(self) -> Iterator[None]:
        """Meanwhile the folder of the data is not there, and cannot be made."""
        self.data.rename(self._away)
        self.data.write_text("not a folder")
        try:
            yield
        finally:
            self.data.unlink()
            self._away.rename(self.data)

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Meanwhile the server can write no byte into any file."""
        before = resource.prlimit(self.web.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.web.pid, resource.RLIMIT_FSIZE, (0, before[1]))
        try:
            yield
        finally:
            resource.prlimit(self.web.pid, resource.RLIMIT_FSIZE, before)


def kill(process: psutil.Process) -> None:
    """End a process as a lack of memory does: at once."""
    process.send_signal(signal.SIGKILL)
