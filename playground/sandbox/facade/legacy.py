"""``torch.Tensor(2, 3)`` and ``net.to_empty``: zeros, and not what was in memory."""

from typing import Any

import torch
from torch import nn

BASE: Any = torch.Tensor.__base__


def fill_with_zeros() -> None:
    """Let classes of torch, in this process, make zeros where they would show what was in memory.

    ``isinstance`` and ``type(x) == torch.Tensor`` need the classes, so that nothing stands in for
    them.
    """
    torch.Tensor.__new__ = _new  # type: ignore[method-assign, assignment]
    nn.Module.to_empty = _to_empty  # type: ignore[method-assign, assignment]


def _new(kind: type, *args: Any, **options: Any) -> Any:
    made = BASE.__new__(kind, *args, **options)
    if type(made) is torch.Tensor and are_sizes(args):
        return made.zero_()
    return made


def _to_empty(module: Any, *, device: Any, recurse: bool = True) -> Any:
    return module._apply(lambda each: _zeros_like(each, device), recurse=recurse)


def _zeros_like(tensor: torch.Tensor, device: Any) -> torch.Tensor:
    with torch.no_grad():
        return torch.empty_like(tensor, device=device).zero_()


def are_sizes(args: tuple[Any, ...]) -> bool:
    """Sizes were given, and no values."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], torch.Size) else args
    return bool(sizes) and all(isinstance(each, int) for each in sizes)
