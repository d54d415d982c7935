"""The only module that calls the NVIDIA driver; a sensor that fails is None."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from playground.machines.hardware import Accelerator, AcceleratorKind

try:
    import pynvml
except ModuleNotFoundError:  # optional: tools/record_gpu.py needs only torch and NumPy
    pynvml = None

T = TypeVar("T")
Handle = Any  # the driver's pointer to a GPU


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """The NVIDIA driver and every GPU it sees, in PCI bus order, as nvidia-smi lists them."""

    version: str | None
    cuda_version: str | None
    gpus: tuple[Accelerator, ...]


def count_gpus() -> int:
    """Count the GPUs that the driver sees; 0 if there is no driver."""
    with _opened() as is_open:
        return (_call(pynvml.nvmlDeviceGetCount) or 0) if is_open else 0


def is_unresponsive() -> bool:
    """Return whether a driver is installed but does not respond, or sees no GPU."""
    if pynvml is None:
        return False
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return bool(error.value != pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)
    except OSError:
        return False
    count = _call(pynvml.nvmlDeviceGetCount)
    _call(pynvml.nvmlShutdown)
    return not count


def read_driver() -> Driver | None:
    """Read the driver and its GPUs; None if there is no driver.

    A GPU that is divided into MIG slices is returned as its slices, which programs use.
    """
    with _opened() as is_open:
        if not is_open:
            return None
        gpus: list[Accelerator] = []
        for index in range(_call(pynvml.nvmlDeviceGetCount) or 0):
            handle = _call(pynvml.nvmlDeviceGetHandleByIndex, index)
            if handle is None:  # fallen off the bus: it is counted but cannot be read
                gpus.append(Accelerator(kind=AcceleratorKind.CUDA, physical_index=index))
                continue
            slices = tuple(_mig_handles(handle))
            for slice_handle in slices:
                gpus.append(_read_gpu(slice_handle, index, AcceleratorKind.MIG))
            if not slices:
                gpus.append(_read_gpu(handle, index, AcceleratorKind.CUDA))
        return Driver(
            version=_text(_call(pynvml.nvmlSystemGetDriverVersion)),
            cuda_version=_cuda_version(_call(pynvml.nvmlSystemGetCudaDriverVersion)),
            gpus=tuple(gpus),
        )


@contextmanager
def _opened() -> Iterator[bool]:
    if pynvml is None:
        yield False
        return
    try:
        pynvml.nvmlInit()
    except (pynvml.NVMLError, OSError):  # no library, no driver, or no permission
        yield False
        return
    try:
        yield True
    finally:
        _call(pynvml.nvmlShutdown)


def _call(function: Callable[..., T], *arguments: object) -> T | None:
    """Call a function of the driver; None if it fails."""
    try:
        return function(*arguments)
    except (pynvml.NVMLError, UnicodeDecodeError, ValueError):
        return None


def _mig_handles(handle: Handle) -> Iterator[Handle]:
    mode = _call(pynvml.nvmlDeviceGetMigMode, handle)  # [current, pending]
    if not mode or mode[0] != pynvml.NVML_DEVICE_MIG_ENABLE:
        return
    for index in range(_call(pynvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0):
        slice_handle = _call(pynvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, index)
        if slice_handle is not None:
            yield slice_handle


def _read_gpu(handle: Handle, index: int, kind: AcceleratorKind) -> Accelerator:
    memory = _call(pynvml.nvmlDeviceGetMemoryInfo, handle, pynvml.nvmlMemory_v2)
    if memory is None:  # drivers before 510 have the first version only
        memory = _call(pynvml.nvmlDeviceGetMemoryInfo, handle)
    capability = _call(pynvml.nvmlDeviceGetCudaComputeCapability, handle)
    busy = _call(pynvml.nvmlDeviceGetUtilizationRates, handle)
    pci = _call(pynvml.nvmlDeviceGetPciInfo, handle)
    return Accelerator(
        kind=kind,
        physical_index=index,
        name=_text(_call(pynvml.nvmlDeviceGetName, handle)),
        uuid=_text(_call(pynvml.nvmlDeviceGetUUID, handle)),
        pci_bus_id=_text(pci.busId) if pci else None,
        compute_capability=f"{capability[0]}.{capability[1]}" if capability else None,
        memory_total_bytes=int(memory.total) if memory else None,
        memory_used_bytes=int(memory.used) if memory else None,
        memory_free_bytes=int(memory.free) if memory else None,
        temperature_celsius=_call(
            pynvml.nvmlDeviceGetTemperature, handle, pynvml.NVML_TEMPERATURE_GPU
        ),
        utilisation_percent=int(busy.gpu) if busy else None,
        power_watts=_watts(_call(pynvml.nvmlDeviceGetPowerUsage, handle)),
        power_limit_watts=_watts(_call(pynvml.nvmlDeviceGetEnforcedPowerLimit, handle)),
    )


def _text(answer: str | bytes | None) -> str | None:
    return answer.decode(errors="replace") if isinstance(answer, bytes) else answer


def _watts(milliwatts: int | None) -> float | None:
    return None if milliwatts is None else milliwatts / 1000


def _cuda_version(number: int | None) -> str | None:
    """Write the driver's number as a version: 13010 is 13.1."""
    return None if number is None else f"{number // 1000}.{number % 1000 // 10}"
