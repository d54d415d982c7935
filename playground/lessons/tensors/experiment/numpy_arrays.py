"""Tensors and NumPy arrays: when they are two names for one memory, and when torch refuses."""

import numpy as np
import torch

from playground.compute.outcome import Outcome, attempt
from playground.lessons.tensors.records import (
    ConvertToNumpy,
    ConvertToNumpyReport,
    Edit,
    NumpyChain,
)
from playground.machines.host import running_on

Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
VALUES = [1.0, 2.0, 3.0, 4.0]


def convert_to_numpy(settings: ConvertToNumpy) -> ConvertToNumpyReport:
    """Make an array from a tensor, edit one of them, and look at both."""
    with running_on(settings.machine):
        x, outcome = attempt(
            lambda: torch.tensor(
                VALUES, device=settings.device, requires_grad=settings.requires_grad
            )
        )
        if x is None:
            return _refused(settings, outcome, None)
        array, outcome = attempt(lambda: _convert(settings.chain, x))
        if array is None:
            return _refused(settings, outcome, x)
        names_one_memory = _is_one_memory(x, array)
        x_before, array_before = _texts(x.tolist()), _texts(array.tolist())
        x_now = _edit(settings.edit, x, array)
        x_after, array_after = _texts(x_now.tolist()), _texts(array.tolist())
        edits_array = settings.edit == Edit.ARRAY
        changed_x, changed_array = x_after != x_before, array_after != array_before
        edited = zip(
            *((array_before, array_after) if edits_array else (x_before, x_after)), strict=True
        )
        return ConvertToNumpyReport(
            device=settings.device,
            requires_grad=settings.requires_grad,
            edits_array=edits_array,
            outcome=outcome,
            names_one_memory=names_one_memory,
            still_one_memory=_is_one_memory(x_now, array),
            sees_edit=changed_x if edits_array else changed_array,
            x_values=x_after,
            array_values=array_after,
            changed=tuple(index for index, (old, new) in enumerate(edited) if old != new),
        )


def _convert(chain: NumpyChain, x: torch.Tensor) -> Array:
    array: Array
    match chain:
        case NumpyChain.NUMPY:
            array = x.numpy()
        case NumpyChain.CPU:
            array = x.cpu().numpy()
        case NumpyChain.DETACH:
            array = x.detach().numpy()
        case NumpyChain.DETACH_CPU:
            array = x.detach().cpu().numpy()
        case NumpyChain.FORCE:
            array = x.numpy(force=True)
    return array


def _edit(edit: Edit, x: torch.Tensor, array: Array) -> torch.Tensor:
    """Edit one side; return what the name ``x`` means afterwards."""
    if edit == Edit.ARRAY:
        array[0] = 100.0
    elif edit == Edit.TENSOR:
        with torch.no_grad():
            x += 1
    else:
        x = x + 1
    return x


def _is_one_memory(x: torch.Tensor, array: Array) -> bool:
    return x.device.type == "cpu" and x.data_ptr() == array.ctypes.data


def _texts(values: list[float]) -> tuple[str, ...]:
    return tuple(f"{value:g}" for value in values)


def _refused(
    settings: ConvertToNumpy, outcome: Outcome, x: torch.Tensor | None
) -> ConvertToNumpyReport:
    return ConvertToNumpyReport(
        device=settings.device,
        requires_grad=settings.requires_grad,
        edits_array=settings.edit == Edit.ARRAY,
        outcome=outcome,
        names_one_memory=None,
        still_one_memory=None,
        sees_edit=None,
        x_values=() if x is None else _texts(x.tolist()),
        array_values=(),
        changed=(),
    )
