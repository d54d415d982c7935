"""Parameters and buffers of a module and of all inside it, each value counted once."""

import functools
from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear

from playground.modules.trace.ties import Ties
from playground.modules.trace.tree import Node, Tree

NOT_CALLED = (  # by their nature; what is inside a script cannot be seen
    *(nn.ParameterList, nn.ParameterDict, NonDynamicallyQuantizableLinear),
    torch.jit.ScriptModule,
)


class Totals(NamedTuple):
    """What a module holds; the fields are those of ``TraceRow``."""

    own_parameters: int
    total_parameters: int
    trainable_parameters: int
    buffers: int
    size_bytes: int
    device: str
    dtype: str
    ties: tuple[str, ...]
    is_lazy: bool


NOTHING = Totals(0, 0, 0, 0, 0, "", "", (), is_lazy=False)


class Registers:
    """Adds up what the modules of a tree have registered."""

    def __init__(self, tree: Tree, ties: Ties) -> None:
        self._tree = tree
        self._ties = ties
        self._totals: dict[int, Totals] = {}

    def of(self, module: nn.Module) -> Totals:
        """Add up one module, with all that is registered inside it."""
        found = self._totals.get(id(module))
        if found is None:
            found = self._totals[id(module)] = self._added_up(self._tree.node(module))
        return found

    def uncalled(self, called: set[int]) -> tuple[str, ...]:
        """Registered modules with parameters of their own that are not among those called."""
        return tuple(
            node.path
            for each, node in self._tree.nodes.items()
            if node.parameters
            and each not in called
            and each not in self._tree.hidden
            and not isinstance(node.module, NOT_CALLED)
        )

    def _added_up(self, node: Node) -> Totals:
        if node.children:
            return self._of_all(node, list(self._tree.below(node.module)))
        if not node.parameters and not node.buffers and not node.lazy:
            return NOTHING
        return self._of_all(node, [node])

    def _of_all(self, node: Node, nodes: list[Node]) -> Totals:
        parameters = {id(each): each for one in nodes for each in one.parameters.values()}
        buffers = {id(each): each for one in nodes if one.buffers for each in one.buffers.values()}
        held, kept = list(parameters.values()), list(buffers.values())
        total, size = self._ties.counted(held)
        own = total
        if len(nodes) > 1:
            own = self._ties.counted({id(p): p for p in node.parameters.values()}.values())[0]
        trained = [each for each in held if each.requires_grad]
        total_buffers, buffer_size = self._ties.counted(kept) if kept else (0, 0)
        names = self._ties.name_of
        return Totals(
            own_parameters=own,
            total_parameters=total,
            trainable_parameters=(
                total if len(trained) == len(held) else self._ties.counted(trained)[0]
            ),
            buffers=total_buffers,
            size_bytes=size + buffer_size,
            device=devices_of([*held, *kept]),
            dtype=dtypes_of(held or kept),
            ties=tuple(dict.fromkeys(names[each] for each in parameters if each in names))
            if names
            else (),
            is_lazy=any(one.lazy for one in nodes),
        )


def devices_of(tensors: Iterable[torch.Tensor]) -> str:
    """Names of devices, each once.

    >>> devices_of([torch.ones(1), torch.ones(1, device="meta"), torch.ones(2)])
    'cpu, meta'
    """
    return _named(tuple(dict.fromkeys([each.device for each in tensors])))


def dtypes_of(tensors: Iterable[torch.Tensor]) -> str:
    """Names of dtypes, each once.

    >>> dtypes_of([torch.ones(1), torch.ones(1, dtype=torch.int8), torch.ones(2)])
    'float32, int8'
    """
    return _named(tuple(dict.fromkeys([each.dtype for each in tensors])))


@functools.lru_cache(maxsize=64)
def _named(kinds: tuple[torch.device | torch.dtype, ...]) -> str:
    return ", ".join(map(str, kinds)).replace("torch.", "")
