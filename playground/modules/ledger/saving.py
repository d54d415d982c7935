"""What ``state_dict`` holds, where a module has rules of its own for that."""

import inspect
from typing import Any

import torch
from torch import nn

from playground.modules import reach

SAVING = ("state_dict", "_save_to_state_dict", "get_extra_state")  # what decides what is saved
HOOKS = ("_state_dict_hooks", "_state_dict_pre_hooks")


def decides_what_is_saved(module: nn.Module) -> bool:
    """Whether a module saves by rules of its own, so that only ``state_dict`` itself knows."""
    held = reach.attributes_of(module)
    if any(held.get(name) for name in HOOKS) or any(name in held for name in SAVING):
        return True
    for name in SAVING:
        rule = inspect.getattr_static(type(module), name)
        if not getattr(rule, "__module__", "").startswith("torch.nn.modules."):
            return True
    return False


def really_saved(root: nn.Module) -> tuple[set[int] | None, frozenset[str]]:
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
