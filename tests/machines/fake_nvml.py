"""An NVIDIA driver made of plain values; a sensor that is not named refuses, as a real one does."""

# ruff: noqa: N802, N815, ARG002 - the names and arguments are those of pynvml

from collections.abc import Mapping
from types import SimpleNamespace

from pynvml import (
    NVML_DEVICE_MIG_ENABLE,
    NVML_ERROR_DRIVER_NOT_LOADED,
    NVML_ERROR_LIBRARY_NOT_FOUND,
    NVML_ERROR_NOT_SUPPORTED,
    NVML_TEMPERATURE_GPU,
    NVMLError,
    nvmlMemory_v2,
)

GIB = 2**30
Sensors = Mapping[str, object]


def _sensor(gpu: Sensors, name: str):
    if name not in gpu:
        raise NVMLError(NVML_ERROR_NOT_SUPPORTED)
    return gpu[name]


def _reads(name: str):
    return lambda _, gpu: _sensor(gpu, name)


class FakeNvml:
    """Stands where ``pynvml`` stands; ``loaded`` says whether there is a driver.

    ``gpus`` has the sensors of each GPU, by the names below; None is a GPU that does not answer.
    """

    NVMLError = NVMLError
    NVML_ERROR_LIBRARY_NOT_FOUND = NVML_ERROR_LIBRARY_NOT_FOUND
    NVML_DEVICE_MIG_ENABLE = NVML_DEVICE_MIG_ENABLE
    NVML_TEMPERATURE_GPU = NVML_TEMPERATURE_GPU
    nvmlMemory_v2 = nvmlMemory_v2

    def __init__(self, *gpus: Sensors | None, loaded: bool = True) -> None:
        self.gpus = gpus
        self.loaded = loaded
        self.opened = 0

    def nvmlInit(self) -> None:
        if not self.loaded:
            raise NVMLError(NVML_ERROR_DRIVER_NOT_LOADED)
        self.opened += 1

    def nvmlShutdown(self) -> None:
        self.opened -= 1

    def nvmlDeviceGetCount(self) -> int:
        return len(self.gpus)

    def nvmlSystemGetDriverVersion(self) -> bytes:  # old bindings answer bytes
        return b"580.65.06"

    def nvmlSystemGetCudaDriverVersion(self) -> int:
        return 13010

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Sensors:
        gpu = self.gpus[index]
        if gpu is None:
            raise NVMLError(NVML_ERROR_NOT_SUPPORTED)
        return gpu

    def nvmlDeviceGetMigMode(self, gpu: Sensors) -> list[int]:
        _sensor(gpu, "slices")
        return [NVML_DEVICE_MIG_ENABLE, NVML_DEVICE_MIG_ENABLE]

    def nvmlDeviceGetMaxMigDeviceCount(self, gpu: Sensors) -> int:
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, gpu: Sensors, index: int) -> Sensors:
        slices = _sensor(gpu, "slices")
        if index >= len(slices):
            raise NVMLError(NVML_ERROR_NOT_SUPPORTED)
        return slices[index]

    nvmlDeviceGetName = _reads("name")
    nvmlDeviceGetUUID = _reads("uuid")
    nvmlDeviceGetCudaComputeCapability = _reads("capability")
    nvmlDeviceGetPowerUsage = _reads("milliwatts")
    nvmlDeviceGetEnforcedPowerLimit = _reads("milliwatts_limit")

    def nvmlDeviceGetPciInfo(self, gpu: Sensors) -> SimpleNamespace:
        return SimpleNamespace(busId=_sensor(gpu, "bus"))

    def nvmlDeviceGetMemoryInfo(self, gpu: Sensors, version: int = 1) -> SimpleNamespace:
        if version == nvmlMemory_v2 and gpu.get("old_memory"):
            raise NVMLError(NVML_ERROR_NOT_SUPPORTED)
        total, used = _sensor(gpu, "memory")
        return SimpleNamespace(total=total, used=used, free=total - used)

    def nvmlDeviceGetUtilizationRates(self, gpu: Sensors) -> SimpleNamespace:
        return SimpleNamespace(gpu=_sensor(gpu, "utilisation"))

    def nvmlDeviceGetTemperature(self, gpu: Sensors, sensor: int) -> int:
        assert sensor == NVML_TEMPERATURE_GPU
        return _sensor(gpu, "temperature")


def a_gpu(letter: str, **changed: object) -> dict[str, object]:
    """All sensors of one GPU; ``name=...`` changes one, ``without`` takes one away."""
    sensors: dict[str, object] = {
        "name": f"NVIDIA Test {letter.upper()}",
        "uuid": f"GPU-{letter * 8}-0000-0000-0000-000000000000",
        "bus": f"00000000:0{letter}:00.0",
        "memory": (16 * GIB, 3 * GIB),
        "capability": (9, 0),
        "utilisation": 0,
        "temperature": 41,
        "milliwatts": 61_500,
        "milliwatts_limit": 300_000,
    }
    return sensors | changed


def without(gpu: dict[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in gpu.items() if name not in names}
