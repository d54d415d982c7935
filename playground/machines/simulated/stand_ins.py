"""Classes of torch that cannot be taught about simulated devices: others stand in for them.

``torch.cuda.FloatTensor(…)`` is answered. Streams, events, graphs, generators on a GPU and
DataParallel are refused, instead of failing with a text about this build. Whoever is not inside a
simulator gets the original through its stand-in; once the last one is left, the originals are back.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated.active import this_thread
from playground.machines.simulated.host import refuse

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


class StandIn(type):
    """The metaclass of stand-ins: they have the original's instances and attributes."""

    original: Any

    def __instancecheck__(cls, instance: object) -> bool:
        """Recognise the original's instances."""
        return isinstance(instance, cls.original)

    def __subclasscheck__(cls, subclass: type) -> bool:
        """Recognise the original's subclasses."""
        return issubclass(subclass, cls.original)

    def __getattr__(cls, name: str) -> Any:
        """Give the original's attributes."""
        return getattr(cls.original, name)


class Refused(StandIn):
    """Stands for a class whose objects are not simulated."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Refuse inside a simulator."""
        if this_thread.host is not None:
            raise refuse(f"{cls.__module__}.{cls.__name__}")
        return cls.original(*args, **kwargs)


class OnlyOnCpu(StandIn):
    """Stands for ``torch.Generator``: on the CPU it is the real one."""

    def __call__(cls, device: Any = "cpu") -> Any:
        """Refuse a generator on a simulated device."""
        if this_thread.host is not None and this_thread.host.resolve(device) != -1:
            raise refuse(f"{cls.__module__}.{cls.__name__}(device='{device}')")
        return cls.original(device)


class LegacyType(StandIn):
    """Stands for ``torch.cuda.FloatTensor`` and its like."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make the tensor as its CPU namesake does, on the current device."""
        if this_thread.host is None:
            return cls.original(*args, **kwargs)
        return getattr(torch, cls.__name__)(*args, **kwargs).cuda()

    def __instancecheck__(cls, instance: object) -> bool:
        """Recognise tensors of this type on any simulated GPU."""
        if this_thread.host is None:
            return isinstance(instance, cls.original)
        return isinstance(instance, Tensor) and instance.type() == f"torch.cuda.{cls.__name__}"


@cache
def _stand_ins() -> list[tuple[ModuleType, str, type]]:
    wanted = [
        (torch, "Generator", OnlyOnCpu),
        (torch, "Stream", Refused),
        (torch, "Event", Refused),
        (torch.cuda, "Stream", Refused),
        (torch.cuda, "ExternalStream", Refused),
        (torch.cuda, "Event", Refused),
        (torch.cuda, "CUDAGraph", Refused),
        (torch.nn, "DataParallel", Refused),
        *((torch.cuda, f"{name}Tensor", LegacyType) for name in LEGACY_TYPES),
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
def standing_in() -> Iterator[None]:
    """Put the stand-ins in place for as long as any simulator is entered."""
    global _entered
    with _lock:
        _entered += 1
        if _entered == 1:
            for module, name, stand_in in _stand_ins():
                _originals.append((module, name, getattr(module, name)))
                setattr(module, name, stand_in)
    try:
        yield
    finally:
        with _lock:
            _entered -= 1
            if _entered == 0:
                while _originals:
                    setattr(*_originals.pop())
