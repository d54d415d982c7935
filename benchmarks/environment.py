"""The computer and the versions that figures were taken on."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

import psutil

PACKAGES = ("torch", "streamlit", "matplotlib")
GIBIBYTE = 2**30


def describe() -> str:
    """One sentence."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    memory = psutil.virtual_memory().total / GIBIBYTE
    return (
        f"{cores()} cores ({processor()}), {memory:.0f} GiB, {platform.system()},"
        f" Python {platform.python_version()}, {packages}"
    )


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """The name of the processor, as far as the system tells it."""
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def load() -> str:
    """The load of the computer: figures taken beside other work are worth less."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
