"""Programs that move a tensor, convert it, and compute with it."""

from playground.lessons.tensors.records import (
    Assignment,
    Computation,
    ComputeOnDevice,
    MoveAndConvert,
    MoveTensor,
    ToForm,
)


def move_tensor(settings: MoveTensor) -> str:
    """Move a tensor, and ask the names what they mean."""
    gradient = ", requires_grad=True" if settings.requires_grad else ""
    line, result = {
        Assignment.NEW_NAME: (
            f"y = {settings.call}",
            "(str(x.device), str(y.device), y is x, y.is_leaf)",
        ),
        Assignment.SAME_NAME: (f"x = {settings.call}", "(str(x.device), x.is_leaf)"),
        Assignment.NOTHING: (settings.call, "(str(x.device), x.is_leaf)"),
    }[settings.assignment]
    return f"""\
import torch

x = torch.tensor([1.0, 2.0, 3.0], device="{settings.start}"{gradient})
{line}

result = {result}
"""


def compute_on_device(settings: ComputeOnDevice) -> str:
    """Compute something from one tensor."""
    is_number = settings.computation == Computation.ITEM
    result = "y" if is_number else "(str(y.device), y.tolist())"
    return f"""\
import torch

x = torch.tensor([1.0, 2.0, 3.0], device="{settings.device}")
y = {settings.computation.formula}

result = {result}
"""


def move_and_convert(settings: MoveAndConvert) -> str:
    """Call ``.to`` once."""
    other = ""
    if settings.form == ToForm.OTHER:
        other = (
            f'other = torch.zeros(1, dtype=torch.{settings.dtype}, device="{settings.target}")\n'
        )
    return f"""\
import torch

x = torch.tensor([0.1, 1.5, 2.25], device="{settings.device}")
{other}y = {settings.call}

result = (str(y.device), str(y.dtype), y.tolist())
"""
