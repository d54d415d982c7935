"""``empty`` and its like, which give zeros: what was in memory before is nobody's business."""

from typing import Any

import numpy
import torch

from playground.sandbox.facade.unwritten import promised


def empty(*args: Any, pin_memory: bool = False, **options: Any) -> torch.Tensor:
    """``torch.empty``, filled with zeros.

    A tensor too large for the device is refused by ``torch.empty`` itself, in its words. On the
    CPU, one too large for the run is promised (see ``unwritten``).
    """
    try:
        made = torch.empty(*args, pin_memory=pin_memory, **options)
    except RuntimeError as refusal:
        if pin_memory or "out" in options:
            raise
        made = promised(refusal, lambda: torch.empty(*args, **{**options, "device": "meta"}))
    with torch.no_grad():
        return made.zero_()


def empty_like(other: torch.Tensor, **options: Any) -> torch.Tensor:
    """``torch.empty_like``, filled with zeros."""
    try:
        made = torch.empty_like(other, **options)
    except RuntimeError as refusal:
        made = promised(refusal, lambda: torch.empty_like(other, **{**options, "device": "meta"}))
    with torch.no_grad():
        return made.zero_()


def empty_array(shape: Any, dtype: Any = float, order: Any = "C") -> Any:
    """``numpy.empty``, filled with zeros."""
    return numpy.zeros(shape, dtype, order)


def empty_array_like(
    other: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None
) -> Any:
    """``numpy.empty_like``, filled with zeros."""
    return numpy.zeros_like(other, dtype, order, subok, shape)
