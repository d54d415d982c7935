"""Modules and tensors that a module holds past registration; enters them into the tree."""

from collections import OrderedDict, deque
from typing import Any

import torch
from torch import nn

from playground.modules import reach
from playground.modules.forward_trace import TraceWarning, WarningKind
from playground.modules.rows import Reason
from playground.modules.trace.tree import Node, Tree, joined

MOST_STEPS = 20_000
SIMPLE = frozenset(
    {bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device, torch.Size}
)
CONTAINERS = frozenset({tuple, list, dict, set, OrderedDict})
RECURRENT = ("_flat_weights", "_flat_weights_names", "_flat_weight_refs", "_all_weights")
OWN = frozenset((*reach.OWN_BOOKS, *RECURRENT))
TORCHS_OWN = ("torch._", "torch.jit", "torch.fx")  # machinery; nothing that a student has hidden


def find_hidden(tree: Tree) -> list[TraceWarning]:
    """Say what is hidden, and enter hidden modules into the tree, those inside them too."""
    nodes = list(tree.nodes.values())
    waiting = deque(_starts(nodes))
    if not waiting:
        return []
    registered = _registered_tensors(nodes)
    warnings: list[TraceWarning] = []
    steps = 0
    seen: dict[int, Any] = {}  # with the objects, so that no identity is given away meanwhile
    while waiting and steps < MOST_STEPS:
        path, thing, reason = waiting.popleft()
        steps += 1
        if id(thing) in seen:
            continue
        seen[id(thing)] = thing
        if reach.is_a(thing, nn.Module):
            if id(thing) in tree.nodes:
                continue
            new = tree.add_hidden(thing, path)
            registered |= _registered_tensors(new)
            kind = type(thing).__name__
            warnings.append(TraceWarning(WarningKind.HIDDEN_MODULE, path, kind, reason))
            waiting.extend(_starts(new))
        elif reach.is_a(thing, torch.Tensor):
            if id(thing) not in registered:
                tree.loose.append((path, thing))
                found = Reason.COMPUTED if _is_computed(thing) else reason
                warnings.append(TraceWarning(WarningKind.HIDDEN_TENSOR, path, "", found))
        elif not type(thing).__module__.startswith(TORCHS_OWN):
            waiting.extend((path + step, inner, reason) for step, inner in reach.steps(thing))
    return [each for each in warnings if each.reason != Reason.COMPUTED]


def _starts(nodes: list[Node]) -> list[tuple[str, Any, Reason]]:
    """What some modules hold as attributes that may lead somewhere."""
    found = []
    for node in nodes:
        if isinstance(node.module, torch.jit.ScriptModule):  # it hides only what torch needs
            continue
        for name, held in node.module.__dict__.items():
            kind = type(held)
            if kind in SIMPLE or (kind in CONTAINERS and not held) or name in OWN:
                continue
            if kind is tuple and all(type(each) in SIMPLE for each in held):
                continue
            if not reach.is_end(held) and not _is_remade(node, name):
                found.append((joined(node.path, name), held, reach.reason_for(held)))
    return found


def _registered_tensors(nodes: list[Node]) -> set[int]:
    return {
        id(each)
        for node in nodes
        for each in (*node.parameters.values(), *node.buffers.values(), *node.lazy)
    }


def _is_remade(node: Node, name: str) -> bool:
    """Whether pruning or an old ``weight_norm`` sets an attribute anew in each forward."""
    return f"{name}_orig" in node.parameters or f"{name}_v" in node.parameters


def _is_computed(tensor: torch.Tensor) -> bool:
    try:
        return tensor.grad_fn is not None
    except RuntimeError:
        return True
