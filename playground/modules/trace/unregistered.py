"""Modules and tensors that a module holds without registering them; adds them to the tree."""

from collections import OrderedDict, deque
from typing import Any

import torch
from torch import nn

from playground.modules import object_graph
from playground.modules.inventory_types import Reason
from playground.modules.trace.tree import Node, Tree, joined
from playground.modules.trace_types import TraceWarning, WarningKind

MAX_STEPS = 20_000
SIMPLE = frozenset(
    {bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device, torch.Size}
)
CONTAINERS = frozenset({tuple, list, dict, set, OrderedDict})
RECURRENT = ("_flat_weights", "_flat_weights_names", "_flat_weight_refs", "_all_weights")
OWN = frozenset((*object_graph.MODULE_INTERNALS, *RECURRENT))
TORCHS_OWN = ("torch._", "torch.jit", "torch.fx")  # machinery; nothing that a student has hidden


def find_unregistered(tree: Tree) -> list[TraceWarning]:
    """Find unregistered tensors and modules, and add the modules to the tree."""
    nodes = list(tree.nodes.values())
    waiting = deque(_starts(nodes))
    if not waiting:
        return []
    registered = _registered_tensors(nodes)
    warnings: list[TraceWarning] = []
    steps = 0
    seen: dict[int, Any] = {}  # with the objects, so that no identity is given away meanwhile
    while waiting and steps < MAX_STEPS:
        path, thing, reason = waiting.popleft()
        steps += 1
        if id(thing) in seen:
            continue
        seen[id(thing)] = thing
        if object_graph.is_a(thing, nn.Module):
            if id(thing) in tree.nodes:
                continue
            new = tree.add_hidden(thing, path)
            registered |= _registered_tensors(new)
            kind = type(thing).__name__
            warnings.append(TraceWarning(WarningKind.HIDDEN_MODULE, path, kind, reason))
            waiting.extend(_starts(new))
        elif object_graph.is_a(thing, torch.Tensor):
            if id(thing) not in registered:
                tree.loose.append((path, thing))
                found = Reason.COMPUTED if _is_computed(thing) else reason
                warnings.append(TraceWarning(WarningKind.HIDDEN_TENSOR, path, "", found))
        elif not type(thing).__module__.startswith(TORCHS_OWN):
            waiting.extend(
                (path + step, inner, reason) for step, inner in object_graph.steps(thing)
            )
    return [each for each in warnings if each.reason != Reason.COMPUTED]


def _starts(nodes: list[Node]) -> list[tuple[str, Any, Reason]]:
    """Find the attributes of some modules that may lead to tensors or modules."""
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
            if not object_graph.is_leaf(held) and not _is_remade(node, name):
                found.append((joined(node.path, name), held, object_graph.reason_for(held)))
    return found


def _registered_tensors(nodes: list[Node]) -> set[int]:
    return {
        id(each)
        for node in nodes
        for each in (*node.parameters.values(), *node.buffers.values(), *node.lazy)
    }


def _is_remade(node: Node, name: str) -> bool:
    """Return whether pruning or an old ``weight_norm`` sets an attribute in each forward."""
    return f"{name}_orig" in node.parameters or f"{name}_v" in node.parameters


def _is_computed(tensor: torch.Tensor) -> bool:
    try:
        return tensor.grad_fn is not None
    except RuntimeError:
        return True
