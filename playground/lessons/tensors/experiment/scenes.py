"""Turns live tensors into what the device map draws."""

from collections.abc import Iterable, Mapping

import torch

from playground.lessons.tensors.records import Meeting, Resident, Scene
from playground.machines import DeviceName, Machine, device_names

MOST_SHOWN = 16  # elements; a longer tensor is drawn without its values


def all_devices() -> tuple[DeviceName, ...]:
    """Every device of the machine that the experiment runs on."""
    return device_names(torch.cuda.device_count())


def draw(
    machine: Machine, tensors: Mapping[str, torch.Tensor], meeting: Meeting | None = None
) -> Scene:
    """Describe the machine with these tensors, by their names in the program, in their places."""
    return Scene(
        devices=all_devices(),
        is_simulated=machine.is_simulated,
        residents=tuple(describe(label, tensor) for label, tensor in tensors.items()),
        meeting=meeting,
    )


def describe(label: str, tensor: torch.Tensor) -> Resident:
    """Describe one tensor in plain values."""
    return Resident(
        label=label,
        device=str(tensor.device),
        shape=tuple(tensor.shape),
        dtype=dtype_name(tensor),
        size_bytes=tensor.nbytes,
        values=str(tensor.tolist()) if tensor.numel() <= MOST_SHOWN else "…",
    )


def dtype_name(tensor: torch.Tensor) -> str:
    """The element type as programs name it.

    >>> dtype_name(torch.ones(1))
    'float32'
    """
    return str(tensor.dtype).removeprefix("torch.")


def total_bytes(tensors: Iterable[torch.Tensor]) -> int:
    """The bytes of all these tensors together."""
    return sum(tensor.nbytes for tensor in tensors)
