"""Detects the GPUs that PyTorch could use, without loading PyTorch."""

import os
import platform
import re
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
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
CUDA_13_CAPABILITY = 7.5  # CUDA 13 dropped Maxwell, Pascal and Volta: its release notes
CUDA_OF_BUILD = re.compile(r"^cuda\b.*= '([\d.]+)'$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class UnusableGpus:
    """NVIDIA GPUs of this computer that the installed PyTorch cannot use.

    Attributes:
        count: How many.
        driver: Version of the NVIDIA driver.
        driver_cuda: The newest CUDA version that the driver supports.
        torch_cuda: The CUDA version that PyTorch needs; empty for a build without CUDA.
        compute_capability: Of the GPUs, where it is what PyTorch does not support; else empty.
    """

    count: int
    driver: str
    driver_cuda: str
    torch_cuda: str
    compute_capability: str = ""


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
    if unusable_gpus():
        return 0
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


def unusable_gpus() -> UnusableGpus | None:
    """Return the NVIDIA GPUs that the installed PyTorch cannot use, unless they are hidden.

    A CUDA build runs on each driver of its major CUDA version or a later one. Builds for CUDA 13
    support compute capability 7.5 (Turing) or later; one GPU that has it is enough.
    """
    is_hidden = visible_gpus(os.environ.get("CUDA_VISIBLE_DEVICES"), [""]) == ()
    build = torch_build()
    if is_hidden or build == "xpu" or build.startswith("rocm"):
        return None
    driver = nvml.read_driver()
    if driver is None or not driver.gpus:
        return None
    needed, supported = torch_cuda(), driver.cuda_version or ""
    capability = ""
    if needed and _major(supported) >= _major(needed):
        known = [gpu.compute_capability for gpu in driver.gpus if gpu.compute_capability]
        capability = max(known, key=float, default="")
        if not capability or _major(needed) < 13 or float(capability) >= CUDA_13_CAPABILITY:
            return None
    return UnusableGpus(len(driver.gpus), driver.version or "", supported, needed, capability)


def torch_cuda() -> str:
    """Return the CUDA version that PyTorch was built for; empty for a build without CUDA."""
    if build := torch_build():
        digits = build.removeprefix("cu")
        return f"{digits[:-1]}.{digits[-1]}" if digits.isdecimal() else ""
    found = find_spec("torch")  # finds the package, and does not import it
    folders = found.submodule_search_locations if found else None
    text = _read(Path(folders[0]) / "version.py") if folders else ""
    version = CUDA_OF_BUILD.search(text)
    return version[1] if version else ""


def _major(version: str) -> int:
    major = version.partition(".")[0]
    return int(major) if major.isdecimal() else 0


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
