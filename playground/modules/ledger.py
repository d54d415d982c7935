"""The ledger: every tensor that a module, its loss and its optimizer lead to, and where it is.

``ledger(net)`` changes nothing in the module, follows no way twice in a circle, and ends on any
graph of objects. It does not look at gradients (they go with their parameters), behind weak
references, or at what ``forward`` makes anew in each call.
"""

import inspect
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from playground.modules import reach
from playground.modules.rows import Kind, Ledger, MovedRow, Reason, Row

__all__ = ["Kind", "Ledger", "MovedRow", "Reason", "Row", "ledger"]

MOST_PATHS = 16  # to one object; then the others are not followed further
MOST_STEPS = 100_000  # after these, what is known already is not entered a second time
SAVING = ("state_dict", "_save_to_state_dict", "get_extra_state")  # what decides what is saved
HOOKS = ("_state_dict_hooks", "_state_dict_pre_hooks")


def ledger(
    module: nn.Module,
    *,
    loss: nn.Module | None = None,
    optimizer: torch.optim.Optimizer | None = None,
) -> Ledger:
    """List every tensor that a module leads to: registered, hidden, or forgotten.

    Works on real devices, and inside ``simulated_gpus`` on simulated ones.

    Args:
        module: Any module; it is not changed, and neither are the two others.
        loss: A loss that is trained with; its paths begin with ``loss.``.
        optimizer: The optimizer; the paths of its state begin with ``optimizer.``.

    Returns:
        One row for each tensor, with all paths that lead to it.

    Raises:
        TypeError: ``module`` or ``loss`` is no module.

    >>> net = nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))
    >>> [row.path for row in ledger(net).rows]  # doctest: +NORMALIZE_WHITESPACE
    ['0.weight', '0.bias', '1.weight', '1.bias', '1.running_mean', '1.running_var',
     '1.num_batches_tracked']
    """
    for given in (module, loss):
        if given is not None and not isinstance(given, nn.Module):
            raise TypeError(f"a ledger is made of an nn.Module, not of {type(given).__name__}")
    walk = _Walk()
    walk.go_through(module, Owner.MODULE, "")
    if loss is not None:
        walk.go_through(loss, Owner.LOSS, "loss")
    if optimizer is not None:
        walk.go_through_optimizer(optimizer)
    return Ledger(tuple(found.row() for found in walk.found.values()))


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


class _Walk:
    """Goes through objects, and notes each tensor with its paths.

    Attributes:
        found: By identity, in the order in which they were met.
    """

    def __init__(self) -> None:
        self.found: dict[int, Found] = {}
        self._visits: dict[int, int] = {}
        self._kept_alive: list[object] = []  # an identity must not be given away meanwhile
        self._steps = 0

    def go_through(self, root: nn.Module, owner: Owner, prefix: str) -> None:
        """Note what a module has registered, then what else it leads to."""
        modules = list(self._registered(root, owner, prefix))
        if any(_decides_what_is_saved(place.thing) for place in modules):
            saved, keys = _really_saved(root)
        else:
            saved, keys = None, frozenset[str]()
        for place in modules:
            self._note_tensors(place, owner, prefix, saved, keys)
        for place in modules:
            hidden = (
                Place(thing, step, place, reason=reach.reason_for(thing))
                for step, thing in reach.unregistered_steps(place.thing)
                if not reach.is_end(thing)
            )
            self._follow(hidden, saved)

    def go_through_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        """Note what an optimizer keeps for its parameters, and the parameters themselves."""
        root = Place(optimizer, "optimizer")
        held = reach.attributes_of(optimizer)
        state = held.pop("state", {})
        others = (
            Place(thing, f".{name}", root, reason=Reason.ONLY_IN_OPTIMIZER)
            for name, thing in held.items()
            if not reach.is_end(thing) and not callable(thing) and not name.endswith("_hooks")
        )
        self._follow(others, None)
        book = Place(state, ".state", root)
        kept = (
            Place(thing, f"[{self._written(key, index)}]", book, Owner.OPTIMIZER)
            for index, (key, thing) in enumerate(list(dict.items(state)))
        )
        self._follow(kept, None)

    def _written(self, key: object, index: int) -> str:
        known = self.found.get(id(key))
        if known is None:
            return reach.written_key(key, index)
        return repr(min(known.places, key=lambda place: place.owner).path())

    def _registered(self, root: nn.Module, owner: Owner, prefix: str) -> Iterator[Place]:
        """Every module that ``named_modules(remove_duplicate=False)`` names, circles left out."""
        self._visits[id(root)] = self._visits.get(id(root), 0) + 1
        waiting = [Place(root, prefix, None, owner)]
        while waiting:
            place = waiting.pop()
            yield place
            children = reach.registered_by(place.thing, "_modules").items()
            waiting += [
                Place(child, f".{name}", place, owner)
                for name, child in reversed(list(children))
                if self._may_enter(child, place)
            ]

    def _note_tensors(
        self,
        place: Place,
        owner: Owner,
        prefix: str,
        saved: set[int] | None,
        keys: frozenset[str],
    ) -> None:
        for name, tensor, kind in reach.registered_tensors(place.thing):
            own = Place(tensor, f".{name}", place, owner, kind, _registered_reason(owner, kind))
            if saved is None:
                own.is_saved = kind != Kind.NON_PERSISTENT_BUFFER
            else:
                own.is_saved = id(tensor) in saved or own.path().removeprefix(f"{prefix}.") in keys
            if owner == Owner.LOSS and kind != Kind.PARAMETER:
                own.kind = Kind.LOSS_BUFFER
            self._note(own)

    def _follow(self, starts: Iterator[Place], saved: set[int] | None) -> None:
        """Note every tensor behind some places, the nearest first."""
        waiting = deque(starts)
        while waiting:
            place = waiting.popleft()
            thing = place.thing
            if reach.is_a(thing, torch.Tensor):
                self._note_hidden(place, saved)
            if place.before is not None and not self._may_enter(thing, place.before):
                continue
            for step, next_thing in reach.steps(thing):
                waiting.append(Place(next_thing, step, place, place.owner, reason=place.reason))

    def _note_hidden(self, place: Place, saved: set[int] | None) -> None:
        tensor = place.thing
        holder: Any = place.before.thing if place.before else None
        place.is_saved = saved is not None and id(tensor) in saved
        if place.owner == Owner.OPTIMIZER:
            is_count = place.step == "['step']" and tensor.device.type == "cpu"
            place.kind = Kind.OPTIMIZER_STATE
            place.reason = Reason.STEP_COUNT if is_count else Reason.OPTIMIZER_STATE
        elif isinstance(tensor, nn.Parameter):
            place.kind = Kind.PARAMETER
        elif reach.is_a(holder, nn.Module):
            kinds = {id(each): kind for _, each, kind in reach.registered_tensors(holder)}
            place.kind = kinds.get(id(tensor), Kind.TENSOR)
        elif place.reason == Reason.ONLY_IN_OPTIMIZER:
            place.kind = Kind.OPTIMIZER_STATE  # a learning rate, or what it keeps for itself
            place.reason = Reason.OPTIMIZER_STATE
        self._note(place)

    def _note(self, place: Place) -> None:
        found = self.found.setdefault(id(place.thing), Found(place.thing))
        if len(found.places) < MOST_PATHS or place.owner != Owner.NOBODY:
            found.places.append(place)

    def _may_enter(self, thing: object, before: Place) -> bool:
        """Whether to go on through an object: not in circles, not by too many ways."""
        self._steps += 1
        visits = self._visits.get(id(thing), 0)
        if visits:
            is_tired = visits >= MOST_PATHS or self._steps > MOST_STEPS
            if is_tired or before.is_on_its_way(thing):
                return False
        else:
            self._kept_alive.append(thing)
            if before.thing is thing:
                return False
        self._visits[id(thing)] = visits + 1
        return True


def _registered_reason(owner: Owner, kind: Kind) -> Reason:
    if owner == Owner.LOSS:
        return Reason.IN_LOSS
    return {
        Kind.PARAMETER: Reason.REGISTERED_PARAMETER,
        Kind.BUFFER: Reason.REGISTERED_BUFFER,
        Kind.NON_PERSISTENT_BUFFER: Reason.NOT_SAVED,
    }[kind]


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


def _decides_what_is_saved(module: nn.Module) -> bool:
    """Whether a module saves by rules of its own, so that only ``state_dict`` itself knows."""
    held = reach.attributes_of(module)
    if any(held.get(name) for name in HOOKS) or any(name in held for name in SAVING):
        return True
    for name in SAVING:
        rule = inspect.getattr_static(type(module), name)
        if not getattr(rule, "__module__", "").startswith("torch.nn.modules."):
            return True
    return False


def _really_saved(root: nn.Module) -> tuple[set[int] | None, frozenset[str]]:
    """What ``state_dict`` holds: identities of tensors, and keys; None where it cannot say."""
    try:
        state = root.state_dict(keep_vars=True)
    except Exception:  # noqa: BLE001 - a module's own rules may fail in any way; then torch's count
        return None, frozenset()
    waiting: list[Any] = [state]
    saved: dict[int, Any] = {}
    while waiting:
        thing = waiting.pop()
        if id(thing) in saved or reach.is_end(thing):
            continue
        saved[id(thing)] = thing
        if reach.is_a(thing, dict):
            waiting += dict.values(thing)
        elif reach.is_a(thing, list, tuple):
            waiting += list(thing)
    keys = frozenset(name for name, value in state.items() if reach.is_a(value, torch.Tensor))
    return set(saved), keys
