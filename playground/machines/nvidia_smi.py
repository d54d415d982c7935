"""The output of nvidia-smi, limited in time and without its table of processes."""

import shutil
import subprocess
from dataclasses import dataclass
from enum import StrEnum, unique

TIMEOUT_SECONDS = 10.0
MAX_CHARACTERS = 20_000
PROCESSES = "| Processes:"


@unique
class NvidiaSmiState(StrEnum):
    """The result of running nvidia-smi."""

    ANSWERED = "answered"
    ABSENT = "absent"  # not installed: no NVIDIA driver
    FAILED = "failed"  # installed, but it cannot reach the driver
    TIMED_OUT = "timed-out"


@dataclass(frozen=True, slots=True, kw_only=True)
class NvidiaSmi:
    """The output, which may be an error of nvidia-smi; empty if it did not finish."""

    state: NvidiaSmiState
    output: str = ""


def read_nvidia_smi(timeout_seconds: float = TIMEOUT_SECONDS) -> NvidiaSmi:
    """Run nvidia-smi and keep its table of GPUs.

    The table of processes is removed: it names the programs of all users of this computer.
    """
    command = shutil.which("nvidia-smi")
    if command is None:
        return NvidiaSmi(state=NvidiaSmiState.ABSENT)
    try:
        ended = subprocess.run(
            [command], capture_output=True, text=True, timeout=timeout_seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return NvidiaSmi(state=NvidiaSmiState.TIMED_OUT)
    except OSError:  # found, but not allowed to run
        return NvidiaSmi(state=NvidiaSmiState.FAILED)
    state = NvidiaSmiState.FAILED if ended.returncode else NvidiaSmiState.ANSWERED
    return NvidiaSmi(state=state, output=_without_processes(ended.stdout)[:MAX_CHARACTERS])


def _without_processes(output: str) -> str:
    lines = output.splitlines()
    found = next((n for n, line in enumerate(lines) if line.startswith(PROCESSES)), None)
    if found is None:
        return output
    return "\n".join(lines[: found - 1]).rstrip() + "\n"  # without its upper border
