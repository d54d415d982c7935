"""Limits on what a child may use, counted by the kernel."""

import resource
from pathlib import Path

from playground.sandbox.limits import Limits
from playground.units import KIBIBYTE


def limit(limits: Limits, base_bytes: int) -> None:
    """Bound this process for good.

    Args:
        limits: What it may take.
        base_bytes: What its memory held already when the job came: its ``VmData``.
    """
    most = base_bytes + limits.memory_bytes
    for what, soft, hard in (
        (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_hard_seconds),
        (resource.RLIMIT_DATA, most, most),
        (resource.RLIMIT_STACK, limits.stack_bytes, limits.stack_bytes),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        resource.setrlimit(what, (soft, hard))


def data_bytes() -> int:
    """``VmData``: the memory of this process that its limit counts.

    Raises:
        OSError: The kernel does not say it.
    """
    for line in Path("/proc/self/status").read_text("ascii", "replace").splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * KIBIBYTE
    raise OSError("the kernel does not say how much memory this process has")
