"""Storages and files: a storage tells its device, and files carry it as CUDA's do."""

from typing import Any

import torch

from playground.machines.simulated import promises
from playground.machines.simulated.active import this_thread
from playground.machines.simulated.host import SimulatedHost
from playground.machines.simulated.tag import CPU, device_named, storage_index

PRIORITY = 5  # before torch's own CPU (10) and CUDA (20)
_plain_clone: Any = torch.UntypedStorage.clone
_plain_to: Any = torch.UntypedStorage.to
_plain_cpu: Any = torch.UntypedStorage.cpu
_plain_item: Any = torch.UntypedStorage.__getitem__
_plain_device = torch._C.StorageBase.device  # type: ignore[attr-defined]


def install() -> None:
    """Let storages answer for simulated devices; torch's own answer stays where none is entered."""
    setattr(torch.UntypedStorage, "device", property(_device))  # noqa: B010 - typed read-only
    setattr(torch.UntypedStorage, "clone", _clone)  # noqa: B010 - likewise
    setattr(torch.UntypedStorage, "to", _to)  # noqa: B010 - likewise; ``cuda`` comes here
    setattr(torch.UntypedStorage, "cpu", _cpu)  # noqa: B010 - likewise
    setattr(torch.UntypedStorage, "__getitem__", _item)  # noqa: B010 - likewise
    torch.serialization.register_package(PRIORITY, _location, _restore)


def _device(storage: torch.UntypedStorage) -> torch.device:
    if this_thread.host is not None:
        index = storage_index(storage)
        if index != CPU:
            return device_named(index)
    device: torch.device = _plain_device.__get__(storage)
    return device


def _clone(storage: Any) -> Any:
    """Copy a storage on its device; ``copy.deepcopy`` of a tensor comes here."""
    host = this_thread.host
    index = CPU if host is None else storage_index(storage)
    if host is None or index == CPU:
        return _plain_clone(storage)
    return _copied(host, storage, index)


def _to(storage: Any, *, device: Any, non_blocking: bool = False) -> Any:
    """Copy a storage to a device, as ``map_location=lambda storage, _: storage.cuda()`` does."""
    host = this_thread.host
    here = storage_index(storage)
    index = None if host is None else host.resolve(device)
    if host is None or index is None or (here == CPU and index == CPU):
        return _plain_to(storage, device=device, non_blocking=non_blocking)
    return storage if here == index else _copied(host, storage, index)


def _cpu(storage: Any) -> Any:
    host = this_thread.host
    if host is None or storage_index(storage) == CPU:
        return _plain_cpu(storage)
    return _copied(host, storage, CPU)


def _item(storage: Any, index: Any) -> Any:
    if hasattr(storage, promises.ATTRIBUTE):
        promises.take(storage)
    return _plain_item(storage, index)


def _copied(host: SimulatedHost, storage: Any, index: int) -> Any:
    copy: Any = torch.UntypedStorage(storage.nbytes())  # type: ignore[no-untyped-call]
    copy.copy_(storage)
    host.place(copy, index)
    return copy


def _location(storage: Any) -> str | None:
    if this_thread.host is None:
        return None
    index = storage_index(getattr(storage, "_untyped_storage", storage))
    return None if index == CPU else str(device_named(index))


def _restore(storage: Any, location: str) -> Any:
    """Put a loaded storage where the file, or ``map_location``, says."""
    host = this_thread.host
    if host is None or not location.startswith("cuda"):
        return None
    validate: Any = torch.serialization._validate_device
    device = validate(location, "cuda")  # torch words the refusals
    host.place(getattr(storage, "_untyped_storage", storage), host.resolve(device) or 0)
    return storage
