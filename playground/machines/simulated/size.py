"""How much memory an operation's results will take, asked before it is carried out."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

LARGE = 2**16  # elements; smaller operations are carried out before their size is asked


def result_bytes(operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]) -> int:
    """Tell the size of the results: factories name it, other operations are asked on ``meta``."""
    shape = args[0] if args else None
    if isinstance(shape, list) and (not shape or type(shape[0]) is int):
        dtype = kwargs.get("dtype") or torch.get_default_dtype()
        return math.prod(shape) * dtype.itemsize
    try:
        shapes = operation(*on_meta(args), **on_meta(kwargs))
    except (RuntimeError, NotImplementedError, IndexError, ValueError, TypeError):
        return 0  # the operation itself will say what is wrong
    return _bytes(shapes)


def growth(args: Sequence[Any]) -> int:
    """Tell how often the whole numbers among the arguments, as sizes and paddings, may multiply."""
    factor = 1
    for value in args:
        if type(value) is int:
            factor *= max(value, 1)
        elif type(value) is list:
            for part in value:
                if type(part) is int and part > 1:
                    factor *= part
    return factor


def on_meta(value: Any) -> Any:
    """What stands for an argument of an operation on ``meta``, where nothing is computed."""
    if isinstance(value, Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
    if isinstance(value, list | tuple):
        return [on_meta(part) for part in value]
    if isinstance(value, dict):
        return {name: on_meta(part) for name, part in value.items()}
    return torch.device("meta") if isinstance(value, torch.device) else value


def _bytes(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.nbytes
    return sum(map(_bytes, value)) if isinstance(value, list | tuple) else 0
