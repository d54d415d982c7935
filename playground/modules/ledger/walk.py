"""The walk through all that a module, a loss and an optimizer lead to."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from playground.modules import reach
from playground.modules.ledger.places import Found, Owner, Place
from playground.modules.ledger.saving import decides_what_is_saved, really_saved
from playground.modules.rows import Kind, Reason

MOST_PATHS = 16  # to one object; then the others are not followed further
MOST_STEPS = 100_000  # after these, what is known already is not entered a second time


class Walk:
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
        if any(decides_what_is_saved(place.thing) for place in modules):
            saved, keys = really_saved(root)
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
