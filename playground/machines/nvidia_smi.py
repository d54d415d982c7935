"""What the nvidia-smi of this computer prints, bounded in time and without its list of programs."""

import shutil
import subprocess
from dataclasses import dataclass
from enum import StrEnum, unique

MOST_SECONDS = 10.0
MOST_CHARACTERS = 20_000
PROCESSES = "| Processes:"


@unique
class NvidiaSmiState(StrEnum):
    """Whether nvidia-smi answered, and if not, why."""

    ANSWERED = "answered"
    ABSENT = "absent"  # not installed: no NVIDIA driver
    FAILED = "failed"  # installed, and it cannot reach the driver
    TIMED_OUT = "timed-out"


@dataclass(frozen=True, slots=True, kw_only=True)
class NvidiaSmi:
    """The output, or nvidia-smi's own complaint; empty where it did not run to its end."""

    state: NvidiaSmiState
    output: str = ""


def read_nvidia_smi(timeout_seconds: float = MOST_SECONDS) -> NvidiaSmi:
    """Run nvidia-smi and keep its table of GPUs.

    The table of processes is cut off: it names the programs of everyone on this computer.
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
    except OSError:  # found, and not allowed to run
        return NvidiaSmi(state=NvidiaSmiState.FAILED)
    state = NvidiaSmiState.FAILED if ended.returncode else NvidiaSmiState.ANSWERED
    return NvidiaSmi(state=state, output=_without_processes(ended.stdout)[:MOST_CHARACTERS])


def _without_processes(output: str) -> str:
    lines = output.splitlines()
    found = next((n for n, line in enumerate(lines) if line.startswith(PROCESSES)), None)
    if found is None:
        return output
    return "\n".join(lines[: found - 1]).rstrip() + "\n"  # its upper border goes too
