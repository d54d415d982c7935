"""Where a tensor was met: every path to it, and who it belongs to."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from playground.modules.rows import Kind, Reason, Row


class Owner(IntEnum):
    """Through what a path goes; of several, the first decides what the tensor is called."""

    MODULE = 0
    LOSS = 1
    OPTIMIZER = 2
    NOBODY = 3  # reached, and not registered


@dataclass(slots=True, eq=False)
class Place:
    """An object on one path."""

    thing: Any
    step: str
    before: "Place | None" = None
    owner: Owner = Owner.NOBODY
    kind: Kind = Kind.TENSOR
    reason: Reason = Reason.PLAIN_ATTRIBUTE
    is_saved: bool = False

    def path(self) -> str:
        """The whole path, as a program writes it after the module."""
        parts: list[str] = []
        place: Place | None = self
        while place is not None:
            parts.append(place.step)
            place = place.before
        return "".join(reversed(parts)).removeprefix(".")

    def is_on_its_way(self, thing: object) -> bool:
        """Whether the path has gone through an object already."""
        place: Place | None = self
        while place is not None:
            if place.thing is thing:
                return True
            place = place.before
        return False


@dataclass(slots=True, eq=False)
class Found:
    """A tensor, and every place where it was met."""

    tensor: torch.Tensor
    places: list[Place] = field(default_factory=list)

    def row(self) -> Row:
        """What there is to say about it."""
        places = sorted(self.places, key=lambda place: place.owner)
        first = places[0]
        return Row(
            paths=tuple(dict.fromkeys(place.path() for place in places)),
            kind=first.kind,
            device=str(self.tensor.device),
            is_registered=first.owner in (Owner.MODULE, Owner.LOSS),
            in_state_dict=any(place.is_saved for place in places),
            is_trainable=self.tensor.requires_grad,
            shape=_shape_of(self.tensor),
            reason=self._reason(first),
        )

    def _reason(self, first: Place) -> Reason:
        if first.owner == Owner.MODULE and is_lazy(self.tensor):
            return Reason.UNINITIALISED
        if first.reason == Reason.PLAIN_ATTRIBUTE and _is_computed(self.tensor):
            return Reason.COMPUTED
        return first.reason


def _shape_of(tensor: torch.Tensor) -> tuple[int, ...] | None:
    if is_lazy(tensor):
        return None
    try:
        return tuple(int(size) for size in tensor.shape)
    except (RuntimeError, TypeError):  # a nested tensor has no single shape
        return None


def _is_computed(tensor: torch.Tensor) -> bool:
    """Whether autograd made it; some views refuse even to be asked, and those are."""
    try:
        return tensor.grad_fn is not None
    except RuntimeError:
        return True
