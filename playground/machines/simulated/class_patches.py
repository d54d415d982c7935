"""Patches of classes: replacements for those that no mode sees, and methods of storages.

``torch.cuda.FloatTensor(…)``, streams, events and DataParallel are answered. Generic events, graphs
and generators on a GPU are refused instead of failing with a message about this build. Threads
outside a simulator get the original through the replacement; when the last simulator is left, the
originals are restored. The methods of ``torch.UntypedStorage`` are patched once per process.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import data_parallel, storages, streams
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import SimulatedHost, this_thread
from playground.machines.simulated.storages import CPU, storage_index, torch_device

LEGACY_TYPES = (
    "Float",
    "Double",
    "Half",
    "BFloat16",
    "Byte",
    "Char",
    "Short",
    "Int",
    "Long",
    "Bool",
)


class ClassPatch(type):
    """Metaclass of replacements, which have the instances and attributes of the original."""

    original: Any

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.original)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.original)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.original, name)


class RefusedClass(ClassPatch):
    """Replaces a class whose objects are not simulated; calls are refused inside a simulator."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if this_thread.host is not None:
            raise not_simulated(f"{cls.__module__}.{cls.__name__}")
        return cls.original(*args, **kwargs)


class StreamClass(ClassPatch):
    """Replaces ``torch.cuda.Stream``."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        host = this_thread.host
        if host is None:
            return cls.original(*args, **kwargs)
        return streams.make_stream(host, *args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.original | streams.SimulatedStream)


class SimulatedClass(ClassPatch):
    """Replaces a class whose objects are simulated by those of another one."""

    simulated: type

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        kind = cls.original if this_thread.host is None else cls.simulated
        return kind(*args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.original | cls.simulated)


class EventClass(SimulatedClass):
    """Replaces ``torch.cuda.Event``."""

    simulated = streams.SimulatedEvent


class ParallelClass(SimulatedClass):
    """Replaces ``nn.DataParallel``; without a visible GPU, the original calls its module."""

    simulated = data_parallel.SimulatedDataParallel


class CpuGenerator(ClassPatch):
    """Replaces ``torch.Generator``: the original on the CPU, refused on a simulated device."""

    def __call__(cls, device: Any = "cpu") -> Any:
        if this_thread.host is not None and this_thread.host.resolve(device) != CPU:
            raise not_simulated(f"{cls.__module__}.{cls.__name__}(device='{device}')")
        return cls.original(device)


class LegacyTensorType(ClassPatch):
    """Replaces ``torch.cuda.FloatTensor`` and the like: creates tensors on the current device."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if this_thread.host is None:
            return cls.original(*args, **kwargs)
        return getattr(torch, cls.__name__)(*args, **kwargs).cuda()

    def __instancecheck__(cls, instance: object) -> bool:
        if this_thread.host is None:
            return isinstance(instance, cls.original)
        return isinstance(instance, Tensor) and instance.type() == f"torch.cuda.{cls.__name__}"


@cache
def _replacements() -> list[tuple[ModuleType, str, type]]:
    wanted = [
        (torch, "Generator", CpuGenerator),
        (torch, "Stream", RefusedClass),
        (torch, "Event", RefusedClass),
        (torch.cuda, "Stream", StreamClass),
        (torch.cuda, "ExternalStream", RefusedClass),
        (torch.cuda, "Event", EventClass),
        (torch.cuda, "CUDAGraph", RefusedClass),
        (torch.nn, "DataParallel", ParallelClass),
        *((torch.cuda, f"{name}Tensor", LegacyTensorType) for name in LEGACY_TYPES),
    ]
    return [
        (
            module,
            name,
            meta(name, (), {"original": getattr(module, name), "__module__": module.__name__}),
        )
        for module, name, meta in wanted
    ]


_lock = threading.Lock()
_entered = 0
_originals: list[tuple[ModuleType, str, Any]] = []


@contextmanager
def patch_classes() -> Iterator[None]:
    """Replace the classes while any simulator is entered."""
    global _entered
    with _lock:
        _entered += 1
        if _entered == 1:
            for module, name, replacement in _replacements():
                _originals.append((module, name, getattr(module, name)))
                setattr(module, name, replacement)
    try:
        yield
    finally:
        with _lock:
            _entered -= 1
            if _entered == 0:
                while _originals:
                    setattr(*_originals.pop())


SERIALIZATION_PRIORITY = 5  # before torch's own CPU (10) and CUDA (20)
_original_clone: Any = torch.UntypedStorage.clone
_original_to: Any = torch.UntypedStorage.to
_original_cpu: Any = torch.UntypedStorage.cpu
_original_item: Any = torch.UntypedStorage.__getitem__
_original_device = torch._C.StorageBase.device  # type: ignore[attr-defined]


def patch_storages() -> None:
    """Let storages, and the files that they are saved in, report simulated devices."""
    setattr(torch.UntypedStorage, "device", property(_device))  # noqa: B010 - typed read-only
    setattr(torch.UntypedStorage, "clone", _clone)  # noqa: B010 - likewise
    setattr(torch.UntypedStorage, "to", _to)  # noqa: B010 - likewise; ``cuda`` calls it
    setattr(torch.UntypedStorage, "cpu", _cpu)  # noqa: B010 - likewise
    setattr(torch.UntypedStorage, "__getitem__", _item)  # noqa: B010 - likewise
    torch.serialization.register_package(SERIALIZATION_PRIORITY, _location, _restore)


def _device(storage: torch.UntypedStorage) -> torch.device:
    if this_thread.host is not None:
        index = storage_index(storage)
        if index != CPU:
            return torch_device(index)
    device: torch.device = _original_device.__get__(storage)
    return device


def _clone(storage: Any) -> Any:
    """Copy a storage on its device; ``copy.deepcopy`` of a tensor calls this."""
    host = this_thread.host
    index = CPU if host is None else storage_index(storage)
    if host is None or index == CPU:
        return _original_clone(storage)
    return _copy_to_device(host, storage, index)


def _to(storage: Any, *, device: Any, non_blocking: bool = False) -> Any:
    """Copy a storage to a device, as ``map_location=lambda storage, _: storage.cuda()`` does."""
    host = this_thread.host
    here = storage_index(storage)
    index = None if host is None else host.resolve(device)
    if host is None or index is None or (here == CPU and index == CPU):
        return _original_to(storage, device=device, non_blocking=non_blocking)
    return storage if here == index else _copy_to_device(host, storage, index)


def _cpu(storage: Any) -> Any:
    host = this_thread.host
    if host is None or storage_index(storage) == CPU:
        return _original_cpu(storage)
    return _copy_to_device(host, storage, CPU)


def _item(storage: Any, index: Any) -> Any:
    if hasattr(storage, storages.UNCOMMITTED_ATTRIBUTE):
        storages.commit_storage(storage)
    return _original_item(storage, index)


def _copy_to_device(host: SimulatedHost, storage: Any, index: int) -> Any:
    copy: Any = torch.UntypedStorage(storage.nbytes())  # type: ignore[no-untyped-call]
    copy.copy_(storage)
    host.place(copy, index)
    return copy


def _location(storage: Any) -> str | None:
    if this_thread.host is None:
        return None
    index = storage_index(getattr(storage, "_untyped_storage", storage))
    return None if index == CPU else str(torch_device(index))


def _restore(storage: Any, location: str) -> Any:
    """Put a loaded storage on the device of the file, or of ``map_location``."""
    host = this_thread.host
    if host is None or not location.startswith("cuda"):
        return None
    validate: Any = torch.serialization._validate_device
    device = validate(location, "cuda")  # torch raises the errors
    host.place(getattr(storage, "_untyped_storage", storage), host.resolve(device) or 0)
    return storage
