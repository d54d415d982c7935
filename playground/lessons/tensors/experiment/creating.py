"""Tensors as they are born: with a device, without one, with a model, or without values."""

from typing import Any

import torch

from playground.compute.outcome import attempt
from playground.lessons.tensors.experiment.scenes import draw, dtype_name, total_bytes
from playground.lessons.tensors.records import (
    Alike,
    AllocateEmpty,
    AllocateEmptyReport,
    CreateAlike,
    CreateAlikeReport,
    CreateTensor,
    CreateTensorReport,
    CreationWay,
    Meeting,
    Override,
    PrintTensor,
    PrintTensorReport,
)
from playground.machines.host import running_on

VALUES = [1.0, 2.0, 3.0]
SHOWN_OF_EMPTY = 6


def print_tensor(settings: PrintTensor) -> PrintTensorReport:
    """Make one tensor without a device and one on ``settings.device``, and print both."""
    with running_on(settings.machine):
        x = torch.tensor(VALUES)
        y, outcome = attempt(lambda: torch.tensor(VALUES, device=settings.device))
        placed = "" if y is None else repr(y)
        return PrintTensorReport(
            default_device=str(x.device),
            default_printed=repr(x),
            placed_device=None if y is None else str(y.device),
            placed_printed=placed,
            names_device="device=" in placed,
            outcome=outcome,
            scene=draw(settings.machine, {"x": x} if y is None else {"x": x, "y": y}),
        )


def create_tensor(settings: CreateTensor) -> CreateTensorReport:
    """Make a tensor on a device, at once or by way of the CPU, and count what was made."""
    with running_on(settings.machine):
        tensors: dict[str, torch.Tensor] = {}
        meeting = None
        if settings.way == CreationWay.DIRECT:
            y, outcome = attempt(lambda: torch.ones(2, 3, device=settings.device))
        else:
            x = torch.ones(2, 3)
            y, outcome = attempt(lambda: x.to(settings.device))
            tensors["x, y" if y is x else "x"] = x
            meeting = Meeting(
                formula=f'x.to("{settings.device}")',
                inputs=tuple(tensors),
                output="" if y is None or y is x else "y",
                works=outcome.ok,
            )
        if y is not None and not any(y is each for each in tensors.values()):
            tensors["y"] = y
        is_copied = settings.way == CreationWay.MOVED and len(tensors) > 1
        return CreateTensorReport(
            way=settings.way,
            device=settings.device,
            y_device=None if y is None else str(y.device),
            tensors_made=len(tensors),
            host_bytes=total_bytes(each for each in tensors.values() if each.device.type == "cpu"),
            copied_bytes=tensors["y"].nbytes if is_copied else 0,
            outcome=outcome,
            scene=draw(settings.machine, tensors, meeting),
        )


def allocate_empty(settings: AllocateEmpty) -> AllocateEmptyReport:
    """Free memory full of sevens, ask for as much again, and look at what is in it."""
    with running_on(settings.machine):
        x, outcome = attempt(lambda: _empty_after_sevens(settings))
        if x is None:
            return AllocateEmptyReport(
                y_device=None,
                elements=settings.elements,
                sevens=0,
                zeros=0,
                middle_values=(),
                outcome=outcome,
            )
        return AllocateEmptyReport(
            y_device=str(x.device),
            elements=settings.elements,
            sevens=int((x == 7).sum()),
            zeros=int((x == 0).sum()),
            middle_values=tuple(f"{value:.4g}" for value in _middle(x).tolist()),
            outcome=outcome,
        )


def _middle(x: torch.Tensor) -> torch.Tensor:
    """A few values from the middle: the ends may hold addresses that the allocator left there."""
    begin = max(0, (len(x) - SHOWN_OF_EMPTY) // 2)
    return x[begin : begin + SHOWN_OF_EMPTY]


def _empty_after_sevens(settings: AllocateEmpty) -> torch.Tensor:
    old = torch.full((settings.elements,), 7.0, device=settings.device)
    del old
    return torch.empty(settings.elements, device=settings.device)


def create_alike(settings: CreateAlike) -> CreateAlikeReport:
    """Make a tensor after the model of another, with one of its properties taken from elsewhere."""
    dtype = getattr(torch, settings.dtype)
    with running_on(settings.machine):
        x, outcome = attempt(lambda: torch.ones(2, dtype=dtype, device=settings.device))
        y = None
        if x is not None:
            y, outcome = attempt(lambda: _make_alike(settings, x))
        tensors = {name: each for name, each in (("x", x), ("y", y)) if each is not None}
        return CreateAlikeReport(
            alike=settings.alike,
            override=settings.override,
            x_device=None if x is None else str(x.device),
            x_dtype=settings.dtype.value,
            y_device=None if y is None else str(y.device),
            y_dtype=None if y is None else dtype_name(y),
            outcome=outcome,
            scene=draw(settings.machine, tensors),
        )


def _make_alike(settings: CreateAlike, x: torch.Tensor) -> torch.Tensor:
    chosen: dict[str, Any] = {}
    if settings.override == Override.DTYPE:
        chosen["dtype"] = torch.int32
    if settings.override == Override.DEVICE:
        chosen["device"] = "cpu"
    match settings.alike:
        case Alike.ZEROS_LIKE:
            return torch.zeros_like(x, **chosen)
        case Alike.NEW_ZEROS:
            return x.new_zeros(2, **chosen)
        case Alike.NEW_TENSOR:
            return x.new_tensor([1, 2], **chosen)
        case Alike.PLAIN:
            return torch.zeros(2, **chosen)
