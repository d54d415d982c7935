"""The playground as a visitor's host runs it, on a port of this machine."""

import os
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from benchmarks.server import free_port
from tests.hosting.server import command
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 90  # a limit for what hangs, no expectation


class Server:
    """A server of its own, with torch and the jail: one costs as much as a dozen page loads."""

    def __init__(self, environment: dict[str, str] | None = None, port: int = 0) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            command(self.port),
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=SECONDS)


def without_torch(folder: Path) -> dict[str, str]:
    """Return the settings of a server without torch: a broken package takes its place."""
    broken = folder / "torch"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('no torch on this server')\n")
    return {"PYTHONPATH": str(folder)}


def wait_until_healthy(url: str) -> None:
    """Return when a server answers, be it by a closed door."""

    def answers() -> bool:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=SECONDS):
                return True
        except urllib.error.HTTPError:  # it is there, and closed
            return True
        except OSError:  # refused, or reset
            return False

    wait_until(answers)
