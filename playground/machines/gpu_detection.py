"""Detects the GPUs that PyTorch could use, without loading PyTorch."""

import os
import platform
from importlib import metadata
from pathlib import Path

from playground.machines import nvml
from playground.machines.visible_devices import visible_gpus

KFD = Path("/dev/kfd")
KFD_NODES = Path("/sys/class/kfd/kfd/topology/nodes")
DRM = Path("/sys/class/drm")
INTEL = "0x8086"
PCI = Path("/sys/bus/pci/devices")
NVIDIA = "0x10de"
DISPLAY = "0x03"  # prefix of the PCI classes of display controllers and GPUs


def count_gpus() -> int:
    """Count the accelerators that the installed PyTorch could use.

    Only torch knows whether a device works. CUDA_VISIBLE_DEVICES applies to NVIDIA's and AMD's.
    """
    build = torch_build()
    if platform.system() == "Darwin":
        return int(platform.machine() == "arm64")
    if build == "cpu":
        return 0
    if build == "xpu":
        return _count_intel()
    present = _count_amd() if build.startswith("rocm") else nvml.count_gpus()
    value = os.environ.get("CUDA_VISIBLE_DEVICES")
    if value is not None and value.startswith(("GPU-", "MIG-")):
        return min(present, len(value.split(",")))
    return len(visible_gpus(value, [""] * present))


def count_cuda_gpus() -> int:
    """Count those that PyTorch calls ``cuda:i``: NVIDIA's and AMD's, not Apple's or Intel's."""
    is_other = platform.system() == "Darwin" or torch_build() == "xpu"
    return 0 if is_other else count_gpus()


def has_unresponsive_gpu() -> bool:
    """Return whether there is an NVIDIA GPU for this PyTorch whose driver does not respond."""
    build = torch_build()
    hidden = visible_gpus(os.environ.get("CUDA_VISIBLE_DEVICES"), [""]) == ()
    if hidden or build in {"cpu", "xpu"} or build.startswith("rocm") or not nvml.is_unresponsive():
        return False
    return any(
        _read(device / "vendor") == NVIDIA and _read(device / "class").startswith(DISPLAY)
        for device in PCI.glob("*")
    )


def torch_build() -> str:
    """Return PyTorch's build: ``"cpu"``, ``"cu130"``, ``"rocm7.1"`` or ``"xpu"``.

    Empty if the version has no suffix, as in the wheels of PyPI, which are CUDA builds on Linux.
    """
    try:
        return metadata.version("torch").partition("+")[2]
    except metadata.PackageNotFoundError:
        return "cpu"


def _count_amd() -> int:
    if not KFD.exists():
        return 0
    # A node without a GPU, which is a CPU, has the id 0.
    return sum(_read(path) not in {"", "0"} for path in KFD_NODES.glob("*/gpu_id"))


def _count_intel() -> int:
    return sum(_read(node / "device/vendor") == INTEL for node in DRM.glob("renderD*"))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
