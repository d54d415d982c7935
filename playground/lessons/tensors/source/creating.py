"""Programs that make tensors."""

from playground.lessons.tensors.records import (
    Alike,
    AllocateEmpty,
    CreateAlike,
    CreateTensor,
    CreationWay,
    Override,
    PrintTensor,
)

OVERRIDES = {
    Override.NOTHING: "",
    Override.DTYPE: "dtype=torch.int32",
    Override.DEVICE: 'device="cpu"',
}
FACTORIES = {
    Alike.ZEROS_LIKE: ("torch.zeros_like", "x"),
    Alike.NEW_ZEROS: ("x.new_zeros", "2"),
    Alike.NEW_TENSOR: ("x.new_tensor", "[1, 2]"),
    Alike.PLAIN: ("torch.zeros", "2"),
}


def print_tensor(settings: PrintTensor) -> str:
    """Print a tensor made without a device, and one made with."""
    return f"""\
import torch

x = torch.tensor([1.0, 2.0, 3.0])
y = torch.tensor([1.0, 2.0, 3.0], device="{settings.device}")
print(x)
print(y)

result = (repr(x), repr(y))
"""


def create_tensor(settings: CreateTensor) -> str:
    """Make a tensor on a device, at once or by way of the CPU."""
    if settings.way == CreationWay.DIRECT:
        made = f'y = torch.ones(2, 3, device="{settings.device}")'
    else:
        made = f'x = torch.ones(2, 3)\ny = x.to("{settings.device}")'
    return f"""\
import torch

{made}

result = str(y.device)
"""


def allocate_empty(settings: AllocateEmpty) -> str:
    """Look into memory that was freed a moment ago."""
    return f"""\
import torch

old = torch.full(({settings.elements},), 7.0, device="{settings.device}")
del old  # nobody needs that memory any more
y = torch.empty({settings.elements}, device="{settings.device}")
print((y == 7).sum(), (y == 0).sum())  # another run may print something else

result = (str(y.device), len(y))
"""


def create_alike(settings: CreateAlike) -> str:
    """Make a tensor after the model of another."""
    factory, first = FACTORIES[settings.alike]
    arguments = ", ".join(filter(None, (first, OVERRIDES[settings.override])))
    return f"""\
import torch

x = torch.ones(2, dtype=torch.{settings.dtype}, device="{settings.device}")
y = {factory}({arguments})

result = (str(y.device), str(y.dtype))
"""
