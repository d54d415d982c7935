"""Run a program in an interpreter of its own, which has imported nothing yet."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAX_SECONDS = 300.0  # a limit for what hangs


def run_fresh(program: str, env: dict[str, str] | None = None) -> str:
    """Return a program's output, run in the project's folder; fail with its standard error."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=MAX_SECONDS,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout
