"""``torch.Tensor(2, 3)``, which shows zeros and not what was in memory."""

from typing import Any

import torch

BASE: Any = torch.Tensor.__base__


def fill_with_zeros() -> None:
    """Let the class ``torch.Tensor``, in this process, make zeros where it is given sizes.

    ``isinstance`` and ``type(x) == torch.Tensor`` need the class, so that nothing stands in for it.
    """
    torch.Tensor.__new__ = _new  # type: ignore[method-assign, assignment]


def _new(kind: type, *args: Any, **options: Any) -> Any:
    made = BASE.__new__(kind, *args, **options)
    if type(made) is torch.Tensor and _are_sizes(args):
        return made.zero_()
    return made


def _are_sizes(args: tuple[Any, ...]) -> bool:
    """Sizes were given, and no values."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], torch.Size) else args
    return bool(sizes) and all(isinstance(each, int) for each in sizes)
