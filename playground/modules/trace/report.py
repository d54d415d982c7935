"""Makes the rows of a trace from the recorded calls, with the totals of each module."""

import functools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear

from playground.errors import Outcome
from playground.modules.trace.multiply_adds import multiply_adds
from playground.modules.trace.recorder import Call, CallRecorder
from playground.modules.trace.suggestion import suggest
from playground.modules.trace.ties import Ties
from playground.modules.trace.tree import Node, Tree
from playground.modules.trace_types import (
    ForwardTrace,
    Suggestion,
    TraceRow,
    TraceWarning,
    WarningKind,
)

NOT_CALLED = (  # by their nature; what is inside a script cannot be seen
    *(nn.ParameterList, nn.ParameterDict, NonDynamicallyQuantizableLinear),
    torch.jit.ScriptModule,
)


class Totals(NamedTuple):
    """The tensors of a module, counted; the fields are those of ``TraceRow``."""

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
        """Return the paths of registered modules with own parameters that were not called."""
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
    """Join the names of devices, each once.

    >>> devices_of([torch.ones(1), torch.ones(1, device="meta"), torch.ones(2)])
    'cpu, meta'
    """
    return _named(tuple(dict.fromkeys([each.device for each in tensors])))


def dtypes_of(tensors: Iterable[torch.Tensor]) -> str:
    """Join the names of dtypes, each once.

    >>> dtypes_of([torch.ones(1), torch.ones(1, dtype=torch.int8), torch.ones(2)])
    'float32, int8'
    """
    return _named(tuple(dict.fromkeys([each.dtype for each in tensors])))


@functools.lru_cache(maxsize=64)
def _named(kinds: tuple[torch.device | torch.dtype, ...]) -> str:
    return ", ".join(map(str, kinds)).replace("torch.", "")


def report(
    tree: Tree, recorder: CallRecorder, outcome: Outcome, warnings: Sequence[TraceWarning]
) -> ForwardTrace:
    """Assemble the trace, while the module is as the forward left it.

    Args:
        tree: The module's, as it was before the forward.
        recorder: Has noted the calls.
        outcome: Of the forward.
        warnings: What was found before it.
    """
    calls = recorder.calls
    if any(id(call.module) not in tree.nodes for call in calls) or tree.has_lazy:
        tree = tree.rebuilt()  # the forward may have registered more
    paths = tree.paths(calls)
    made = _made_in_forward(tree, calls, paths)
    ties = Ties(tree)
    registers = Registers(tree, ties)
    rows = _rows(calls, paths, registers, tree)
    failed_at, advice = _failure(recorder, paths, outcome)
    recorder.forget()
    whole = registers.of(tree.root)
    return ForwardTrace(
        rows=rows,
        total_parameters=whole.total_parameters,
        trainable_parameters=whole.trainable_parameters,
        buffers=whole.buffers,
        size_bytes=whole.size_bytes,
        multiply_adds=sum(row.multiply_adds or 0 for row in rows),
        outcome=outcome,
        failed_at=failed_at,
        suggestion=advice,
        tie_groups=ties.groups,
        warnings=(*warnings, *made),
        uncalled=registers.uncalled({id(call.module) for call in calls}) if outcome.ok else (),
    )


def _rows(
    calls: Sequence[Call], paths: Sequence[str], registers: Registers, tree: Tree
) -> tuple[TraceRow, ...]:
    often: dict[int, int] = {}
    turns = []
    for call in calls:
        turn = often[id(call.module)] = often.get(id(call.module), 0) + 1
        turns.append(turn)
    rows = []
    for call, path, turn in zip(calls, paths, turns, strict=True):
        module = call.module
        totals = registers.of(module)
        rows.append(
            TraceRow(
                path=path,
                type_name=_type_name(module),
                depth=call.depth,
                inputs=call.inputs,
                output=call.output,
                own_parameters=totals.own_parameters,
                total_parameters=totals.total_parameters,
                trainable_parameters=totals.trainable_parameters,
                buffers=totals.buffers,
                size_bytes=totals.size_bytes,
                output_bytes=call.output_bytes,
                device=totals.device or _text(call.device),
                dtype=totals.dtype or _text(call.dtype),
                multiply_adds=multiply_adds(call, tree.node(module).parameters),
                call=turn,
                calls=often[id(module)],
                ties=totals.ties,
                is_lazy=totals.is_lazy,
            )
        )
    return tuple(rows)


def _made_in_forward(tree: Tree, calls: Sequence[Call], paths: Sequence[str]) -> list[TraceWarning]:
    met: dict[str, TraceWarning] = {}
    for call, path in zip(calls, paths, strict=True):
        if path and id(call.module) not in tree.nodes:
            kind = type(call.module).__name__
            met.setdefault(path, TraceWarning(WarningKind.MADE_IN_FORWARD, path, kind))
    return list(met.values())


def _failure(
    recorder: CallRecorder, paths: Sequence[str], outcome: Outcome
) -> tuple[str | None, Suggestion | None]:
    if outcome.ok or recorder.failed is None:  # or the module has caught its error itself
        return None, None
    path = paths[recorder.calls.index(recorder.failed)]
    return path, suggest(path, recorder.failed.module, *recorder.failed_inputs)


def _type_name(module: nn.Module) -> str:
    if isinstance(module, torch.jit.ScriptModule):
        return str(getattr(module, "original_name", type(module).__name__))
    return type(module).__name__


@functools.lru_cache(maxsize=64)
def _text(found: torch.device | torch.dtype | None) -> str:
    return "" if found is None else str(found).removeprefix("torch.")
