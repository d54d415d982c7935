"""Parameters that are one: the same object under several names, or several in the same memory."""

import operator
from collections.abc import Collection

import torch
from torch import nn

from playground.modules.forward_trace import TieGroup, TieKind
from playground.modules.trace import memory
from playground.modules.trace.tree import Tree, joined

MOST_VISITS = 10_000  # of modules, by all their names
MOST_PATHS = 16  # of one parameter


class Ties:
    """Finds them in a tree, and counts values with them in mind.

    Attributes:
        groups: In the order of their first names.
        name_of: By identity of a parameter, the name of the group to which it belongs.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        nodes = tree.nodes.values()
        entries = [each for node in nodes for each in node.parameters.values()]
        known = {id(each): each for each in entries}
        self._overlapping = memory.overlapping(list(known.values()))
        self._in_overlap = {id(each) for group in self._overlapping for each in group}
        edges = sum([len(node.children) for node in nodes])
        self.groups: tuple[TieGroup, ...] = ()
        self.name_of: dict[int, str] = {}
        if edges >= len(nodes) or len(entries) > len(known) or self._in_overlap:
            self._name(known)

    def counted(self, tensors: Collection[torch.Tensor]) -> tuple[int, int]:
        """Values and bytes of some tensors, of which none is there twice."""
        if not self._in_overlap:
            numbers = [each.numel() for each in tensors]
            widths = [each.element_size() for each in tensors]
            return sum(numbers), sum(map(operator.mul, numbers, widths))
        count, size = 0, 0
        among = {id(each) for each in tensors} & self._in_overlap
        for each in tensors:
            if id(each) not in among:
                number = each.numel()
                count += number
                size += number * each.dtype.itemsize
        for group in self._overlapping if among else ():
            members = [each for each in group if id(each) in among]
            if members:
                number = memory.values_together(members)
                count += number
                size += number * members[0].dtype.itemsize
        return count, size

    def _name(self, known: dict[int, torch.Tensor]) -> None:
        names = self._all_names()
        groups = [(TieKind.SHARED_MEMORY, group) for group in self._overlapping]
        groups += [
            (TieKind.SAME_PARAMETER, [known[each]])
            for each, found in names.items()
            if len(found) > 1 and each not in self._in_overlap
        ]
        made = []
        for kind, members in groups:
            paths = tuple(path for each in members for path in names.get(id(each), ()))
            if len(paths) < 2:
                continue
            count = self.counted(members)[0]
            made.append(TieGroup(name=paths[0], paths=paths, kind=kind, parameters=count))
            self.name_of.update({id(each): paths[0] for each in members})
        self.groups = tuple(made)

    def _all_names(self) -> dict[int, list[str]]:
        """All names of parameters, as far as they can be gone through; circles are left out."""
        names: dict[int, list[str]] = {}
        waiting: list[tuple[str, nn.Module, tuple[int, ...]]] = [("", self._tree.root, ())]
        visits = 0
        while waiting and visits < MOST_VISITS:
            path, module, around = waiting.pop()
            visits += 1
            node = self._tree.node(module)
            for name, each in node.parameters.items():
                found = names.setdefault(id(each), [])
                if len(found) < MOST_PATHS:
                    found.append(joined(path, name))
            waiting += [
                (joined(path, name), child, (*around, id(module)))
                for name, child in reversed(node.children)
                if id(child) not in around and child is not module
            ]
        return names
