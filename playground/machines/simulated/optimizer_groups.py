"""How optimizers sort their tensors before a step: by device and dtype."""

from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import texts
from playground.machines.simulated.gpu_properties import Original
from playground.machines.simulated.host import SimulatedHost
from playground.machines.simulated.tag import CPU, device_named, index_of

Columns = list[list[Any]]  # parameters, gradients, and each kind of state; some are empty


def group_by_device_and_dtype(
    host: SimulatedHost, _: Original, columns: Columns, with_indices: bool = False
) -> dict[tuple[torch.device, torch.dtype], tuple[Columns, list[int]]]:
    """Stand in for ``torch._C._group_tensors_by_device_and_dtype``.

    Raises:
        RuntimeError: A state is not where its parameter is (``step`` may be on the CPU).
    """
    del host
    groups: dict[tuple[torch.device, torch.dtype], tuple[Columns, list[int]]] = {}
    with torch._C.DisableTorchFunction():
        for position, first in enumerate(columns[0]):
            here = index_of(first)
            together = [column[position] if column else None for column in columns]
            if not all(_may_stand_together(tensor, first, here) for tensor in together):
                raise texts.optimizer_state_elsewhere()
            gathered, positions = groups.setdefault(
                (device_named(here), first.dtype), ([[] for _ in columns], [])
            )
            for column, part, tensor in zip(columns, gathered, together, strict=True):
                if column:
                    part.append(tensor)
            if with_indices:
                positions.append(position)
    return groups


def _may_stand_together(tensor: Tensor | None, first: Tensor, here: int) -> bool:
    if tensor is None:
        return True
    index = index_of(tensor)
    if index == CPU and tensor.dim() == 0 and tensor.dtype in (torch.float32, torch.float64):
        return True  # a step
    return index == here and tensor.dtype in (first.dtype, torch.bfloat16)
