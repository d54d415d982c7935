"""Lists every tensor that a module, its loss and its optimizer lead to, with its device.

``take_inventory(net)`` changes nothing in the module and ends on any graph of objects. It does not
look at gradients (they go with their parameters), behind weak references, or at what ``forward``
makes in each call. The records are in ``playground.modules.inventory_types``.
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

from playground.modules import object_graph
from playground.modules.inventory_types import Kind, Reason, TensorInventory, TensorRow


class Owner(IntEnum):
    """Through what a path goes; of several, the first decides what the tensor is called."""

    MODULE = 0
    LOSS = 1
    OPTIMIZER = 2
    NOBODY = 3  # reached, and not registered


@dataclass(slots=True, eq=False)
class Location:
    """An object on one path."""

    thing: Any
    step: str
    before: "Location | None" = None
    owner: Owner = Owner.NOBODY
    kind: Kind = Kind.TENSOR
    reason: Reason = Reason.PLAIN_ATTRIBUTE
    is_saved: bool = False

    def path(self) -> str:
        """Return the whole path, as a program writes it after the module."""
        parts: list[str] = []
        place: Location | None = self
        while place is not None:
            parts.append(place.step)
            place = place.before
        return "".join(reversed(parts)).removeprefix(".")

    def is_on_its_way(self, thing: object) -> bool:
        """Return whether the path has gone through an object already."""
        place: Location | None = self
        while place is not None:
            if place.thing is thing:
                return True
            place = place.before
        return False


@dataclass(slots=True, eq=False)
class FoundTensor:
    """A tensor, and every place where it was met."""

    tensor: torch.Tensor
    places: list[Location] = field(default_factory=list)

    def row(self) -> TensorRow:
        """Make its row."""
        places = sorted(self.places, key=lambda place: place.owner)
        first = places[0]
        return TensorRow(
            paths=tuple(dict.fromkeys(place.path() for place in places)),
            kind=first.kind,
            device=str(self.tensor.device),
            is_registered=first.owner in (Owner.MODULE, Owner.LOSS),
            in_state_dict=any(place.is_saved for place in places),
            is_trainable=self.tensor.requires_grad,
            shape=_shape_of(self.tensor),
            reason=self._reason(first),
        )

    def _reason(self, first: Location) -> Reason:
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
    """Return whether autograd made it; some views refuse even to be asked, and those are."""
    try:
        return tensor.grad_fn is not None
    except RuntimeError:
        return True


SAVING = ("state_dict", "_save_to_state_dict", "get_extra_state")  # what decides what is saved
HOOKS = ("_state_dict_hooks", "_state_dict_pre_hooks")


def decides_what_is_saved(module: nn.Module) -> bool:
    """Return whether a module overrides what is saved, so that only ``state_dict`` knows."""
    held = object_graph.attributes_of(module)
    if any(held.get(name) for name in HOOKS) or any(name in held for name in SAVING):
        return True
    for name in SAVING:
        rule = inspect.getattr_static(type(module), name)
        if not getattr(rule, "__module__", "").startswith("torch.nn.modules."):
            return True
    return False


def really_saved(root: nn.Module) -> tuple[set[int] | None, frozenset[str]]:
    """Return the ids of all tensors in ``state_dict``, and its keys; None if it raises."""
    try:
        state = root.state_dict(keep_vars=True)
    except Exception:  # noqa: BLE001 - a module's own rules may fail in any way; then torch's count
        return None, frozenset()
    waiting: list[Any] = [state]
    saved: dict[int, Any] = {}
    while waiting:
        thing = waiting.pop()
        if id(thing) in saved or object_graph.is_leaf(thing):
            continue
        saved[id(thing)] = thing
        if object_graph.is_a(thing, dict):
            waiting += dict.values(thing)
        elif object_graph.is_a(thing, list, tuple):
            waiting += list(thing)
    keys = (name for name, value in state.items() if object_graph.is_a(value, torch.Tensor))
    return set(saved), frozenset(keys)


MAX_PATHS = 16  # to one object; then the others are not followed further
MAX_STEPS = 100_000  # after these, what is known already is not entered a second time


class InventoryWalk:
    """Goes through objects, and notes each tensor with its paths.

    Attributes:
        found: By identity, in the order in which they were met.
    """

    def __init__(self) -> None:
        self.found: dict[int, FoundTensor] = {}
        self._visits: dict[int, int] = {}
        self._kept_alive: list[object] = []  # an identity must not be given away meanwhile
        self._steps = 0

    def go_through(self, root: nn.Module, owner: Owner, prefix: str) -> None:
        """Note what a module has registered, then what else it leads to."""
        modules = list(self._registered(root, owner, prefix))
        if any(decides_what_is_saved(place.thing) for place in modules):
            saved, keys = really_saved(root)
        else:
            saved, keys = None, frozenset[str]()
        for place in modules:
            self._note_tensors(place, owner, prefix, saved, keys)
        for place in modules:
            hidden = (
                Location(thing, step, place, reason=object_graph.reason_for(thing))
                for step, thing in object_graph.unregistered_steps(place.thing)
                if not object_graph.is_leaf(thing)
            )
            self._follow(hidden, saved)

    def go_through_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        """Note what an optimizer keeps for its parameters, and the parameters themselves."""
        root = Location(optimizer, "optimizer")
        held = object_graph.attributes_of(optimizer)
        state = held.pop("state", {})
        others = (
            Location(thing, f".{name}", root, reason=Reason.ONLY_IN_OPTIMIZER)
            for name, thing in held.items()
            if not (object_graph.is_leaf(thing) or callable(thing) or name.endswith("_hooks"))
        )
        self._follow(others, None)
        book = Location(state, ".state", root)
        kept = (
            Location(thing, f"[{self._written(key, index)}]", book, Owner.OPTIMIZER)
            for index, (key, thing) in enumerate(list(dict.items(state)))
        )
        self._follow(kept, None)

    def _written(self, key: object, index: int) -> str:
        known = self.found.get(id(key))
        if known is None:
            return object_graph.written_key(key, index)
        return repr(min(known.places, key=lambda place: place.owner).path())

    def _registered(self, root: nn.Module, owner: Owner, prefix: str) -> Iterator[Location]:
        """Yield every module of ``named_modules(remove_duplicate=False)``, without cycles."""
        self._visits[id(root)] = self._visits.get(id(root), 0) + 1
        waiting = [Location(root, prefix, None, owner)]
        while waiting:
            place = waiting.pop()
            yield place
            children = object_graph.registered_by(place.thing, "_modules").items()
            waiting += [
                Location(child, f".{name}", place, owner)
                for name, child in reversed(list(children))
                if self._may_enter(child, place)
            ]

    def _note_tensors(
        self,
        place: Location,
        owner: Owner,
        prefix: str,
        saved: set[int] | None,
        keys: frozenset[str],
    ) -> None:
        for name, tensor, kind in object_graph.registered_tensors(place.thing):
            own = Location(tensor, f".{name}", place, owner, kind, _registered_reason(owner, kind))
            if saved is None:
                own.is_saved = kind != Kind.NON_PERSISTENT_BUFFER
            else:
                own.is_saved = id(tensor) in saved or own.path().removeprefix(f"{prefix}.") in keys
            if owner == Owner.LOSS and kind != Kind.PARAMETER:
                own.kind = Kind.LOSS_BUFFER
            self._note(own)

    def _follow(self, starts: Iterator[Location], saved: set[int] | None) -> None:
        """Record every tensor behind some locations, the nearest first."""
        waiting = deque(starts)
        while waiting:
            place = waiting.popleft()
            thing = place.thing
            if object_graph.is_a(thing, torch.Tensor):
                self._note_hidden(place, saved)
            if place.before is not None and not self._may_enter(thing, place.before):
                continue
            for step, next_thing in object_graph.steps(thing):
                waiting.append(Location(next_thing, step, place, place.owner, reason=place.reason))

    def _note_hidden(self, place: Location, saved: set[int] | None) -> None:
        tensor = place.thing
        holder: Any = place.before.thing if place.before else None
        place.is_saved = saved is not None and id(tensor) in saved
        if place.owner == Owner.OPTIMIZER:
            is_count = place.step == "['step']" and tensor.device.type == "cpu"
            place.kind = Kind.OPTIMIZER_STATE
            place.reason = Reason.STEP_COUNT if is_count else Reason.OPTIMIZER_STATE
        elif isinstance(tensor, nn.Parameter):
            place.kind = Kind.PARAMETER
        elif object_graph.is_a(holder, nn.Module):
            kinds = {id(each): kind for _, each, kind in object_graph.registered_tensors(holder)}
            place.kind = kinds.get(id(tensor), Kind.TENSOR)
        elif place.reason == Reason.ONLY_IN_OPTIMIZER:
            place.kind = Kind.OPTIMIZER_STATE  # a learning rate, or what it keeps for itself
            place.reason = Reason.OPTIMIZER_STATE
        self._note(place)

    def _note(self, place: Location) -> None:
        found = self.found.setdefault(id(place.thing), FoundTensor(place.thing))
        if len(found.places) < MAX_PATHS or place.owner != Owner.NOBODY:
            found.places.append(place)

    def _may_enter(self, thing: object, before: Location) -> bool:
        """Return whether to go on through an object: not in circles, not by too many ways."""
        self._steps += 1
        visits = self._visits.get(id(thing), 0)
        if visits:
            is_tired = visits >= MAX_PATHS or self._steps > MAX_STEPS
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


def take_inventory(
    module: nn.Module,
    *,
    loss: nn.Module | None = None,
    optimizer: torch.optim.Optimizer | None = None,
) -> TensorInventory:
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
    >>> [row.path for row in take_inventory(net).rows]  # doctest: +NORMALIZE_WHITESPACE
    ['0.weight', '0.bias', '1.weight', '1.bias', '1.running_mean', '1.running_var',
     '1.num_batches_tracked']
    """
    for given in (module, loss):
        if given is not None and not isinstance(given, nn.Module):
            raise TypeError(f"take_inventory needs an nn.Module, not of {type(given).__name__}")
    walk = InventoryWalk()
    walk.go_through(module, Owner.MODULE, "")
    if loss is not None:
        walk.go_through(loss, Owner.LOSS, "loss")
    if optimizer is not None:
        walk.go_through_optimizer(optimizer)
    return TensorInventory(tuple(found.row() for found in walk.found.values()))
