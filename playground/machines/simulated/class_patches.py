"""Patches of classes: replacements for those that no mode sees, among them ``nn.DataParallel``.

``torch.cuda.FloatTensor(…)``, streams, events and DataParallel are answered. Generic events, graphs
and generators on a GPU are refused instead of failing with a message about this build. Threads
outside a simulator get the original through the replacement; when the last simulator is left, the
originals are restored.

``SimulatedDataParallel`` calls copies of the module on parts of the batch, one by one. CUDA runs
the copies at the same time, in threads. Shapes, devices, outputs and gradients are the same.
"""

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from playground.machines.simulated import streams
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import this_thread
from playground.machines.simulated.storages import CPU, torch_device

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
MODULE_ELSEWHERE = (
    "module must have its parameters and buffers on device {} (device_ids[0]) but found one of"
    " them on device: {}"
)
SCALAR_OUTPUTS = (
    "Was asked to gather along dimension 0, but all input tensors were scalars; will instead"
    " unsqueeze and return a vector."
)
_lock = threading.Lock()
_entered = 0
_originals: list[tuple[ModuleType, str, Any]] = []


# -- nn.DataParallel ------------------------------------------------------------------------------


class SimulatedDataParallel(nn.Module):
    """``nn.DataParallel``: splits the batch among devices.

    Args:
        module: On the first device.
        device_ids: The devices; all by default.
        output_device: Of the output; the first one by default.
        dim: Of the batch.
    """

    def __init__(
        self,
        module: nn.Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        host = this_thread.host
        assert host is not None
        given = range(len(host.start_driver())) if device_ids is None else device_ids
        self.device_ids = [host.check(_index(each)) for each in given]
        if not self.device_ids:
            raise RuntimeError("no available devices were found")
        self.output_device = _index(self.device_ids[0] if output_device is None else output_device)
        self.module, self.dim = module, dim
        self.src_device_obj = torch_device(self.device_ids[0])

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the module, on several devices if the batch has several rows.

        Raises:
            RuntimeError: A parameter or a buffer is not on the first device.
        """
        for each in chain(self.module.parameters(), self.module.buffers()):
            if each.device != self.src_device_obj:
                raise RuntimeError(MODULE_ELSEWHERE.format(self.src_device_obj, each.device))
        devices = [torch_device(index) for index in self.device_ids]
        parts = _scatter((inputs, kwargs), devices, self.dim)
        if len(parts) == 1 or len(devices) == 1:
            return self.module(*parts[0][0], **parts[0][1])
        outputs = [
            self._replica(device)(*args, **words)
            for device, (args, words) in zip(devices, parts, strict=False)
        ]
        return _gather(outputs, torch_device(self.output_device), self.dim)

    def _get_name(self) -> str:
        return "DataParallel"

    def _replica(self, device: torch.device) -> Callable[..., Any]:
        if device == self.src_device_obj:
            return self.module
        state = {
            name: each.to(device)
            for name, each in chain(self.module.named_parameters(), self.module.named_buffers())
        }

        def call(*args: Any, **words: Any) -> Any:
            with torch.cuda.device(device):
                return functional_call(self.module, state, args, words)

        return call


def _index(device: Any) -> int:
    return device if isinstance(device, int) else torch.device(device).index or 0


def _scatter(value: Any, devices: Sequence[torch.device], dim: int) -> list[Any]:
    """Return the part of each device; there are fewer than devices if a tensor has few rows."""
    if isinstance(value, Tensor):
        return [
            part.to(device)
            for part, device in zip(value.chunk(len(devices), dim), devices, strict=False)
        ]
    if isinstance(value, tuple | list) and value:
        columns = [_scatter(each, devices, dim) for each in value]
        return [type(value)(row) for row in zip(*columns, strict=False)]
    if isinstance(value, Mapping) and value:
        columns = [_scatter(each, devices, dim) for each in value.values()]
        return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=False)]
    return [value for _ in devices]


def _gather(outputs: Sequence[Any], device: torch.device, dim: int) -> Any:
    """Concatenate the outputs of the devices."""
    first = outputs[0]
    if isinstance(first, Tensor):
        if first.dim() == 0 and dim == 0:
            warnings.warn(SCALAR_OUTPUTS, stacklevel=2)
            outputs = [each.reshape(1) for each in outputs]
        return torch.cat([each.to(device) for each in outputs], dim)
    if isinstance(first, Mapping):
        return {key: _gather([each[key] for each in outputs], device, dim) for key in first}
    if first is None:
        return None
    return type(first)(_gather(each, device, dim) for each in zip(*outputs, strict=True))


# -- the replacements -----------------------------------------------------------------------------


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

    simulated = SimulatedDataParallel


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
