"""What may lie in a file beside numbers; made here, and never loaded without ``weights_only``."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from playground.lessons.save_and_load.records import Cargo

TEXT = "This line came out of a file"
Call = tuple[Callable[..., object], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Wish:
    """Something that pickle writes down as a call; making it calls nothing.

    Args:
        function: What whoever loads the file would call.
        argument: With what.
    """

    function: Callable[..., object]
    argument: str

    def __reduce__(self) -> Call:
        """How pickle is told to build it again."""
        return self.function, (self.argument,)


def cargo_of(cargo: Cargo) -> object:
    """What is saved."""
    match cargo:
        case Cargo.COMMAND:
            return Wish(os.system, f"echo {TEXT}")
        case Cargo.PROGRAM:
            return Wish(exec, f"print('{TEXT}')")
        case Cargo.MODULE:
            return _net()
        case Cargo.WEIGHTS:
            return _net().state_dict()


def _net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Linear(4, 2)
