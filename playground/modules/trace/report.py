"""Makes the rows of a trace from the calls that were noted."""

import functools
from collections.abc import Sequence

import torch
from torch import nn

from playground.compute.outcome import Outcome
from playground.modules.forward_trace import (
    ForwardTrace,
    Suggestion,
    TraceRow,
    TraceWarning,
    WarningKind,
)
from playground.modules.trace.calls import Call, Recorder
from playground.modules.trace.multiply_adds import multiply_adds
from playground.modules.trace.suggestion import suggest
from playground.modules.trace.ties import Ties
from playground.modules.trace.totals import Registers
from playground.modules.trace.tree import Tree


def report(
    tree: Tree, recorder: Recorder, outcome: Outcome, warnings: Sequence[TraceWarning]
) -> ForwardTrace:
    """Put together what was seen, while the module is as the forward left it.

    Args:
        tree: The module's, as it was before the forward.
        recorder: Has noted the calls.
        outcome: Of the forward.
        warnings: What was found before it.
    """
    calls = recorder.calls
    if any(id(call.module) not in tree.nodes for call in calls) or tree.has_lazy:
        tree = tree.anew()  # the forward may have registered more
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
    recorder: Recorder, paths: Sequence[str], outcome: Outcome
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
