"""Three blocks in a row, traced."""

import torch
from torch import nn

from playground.lessons.blocks.records import (
    NestBlocks,
    NestBlocksReport,
    Piece,
    Piecewise,
    TreeRow,
)
from playground.modules.custom.fixed_hidden_mlp import FixedHiddenMLP
from playground.modules.custom.nest_mlp import NestMLP
from playground.modules.forward_trace import ForwardTrace, TraceRow
from playground.modules.trace import trace_forward


def nest_blocks(settings: NestBlocks) -> NestBlocksReport:
    """Send two examples through the blocks, and note what every module made of them.

    Shape:
        X: (2, 20).
    """
    torch.manual_seed(0)
    net = nn.Sequential(*(_make(piece) for piece in settings.chosen))
    trace = trace_forward(net, torch.rand(2, 20))
    paths = [name for name, _ in net.named_modules()]
    return NestBlocksReport(
        outcome=trace.outcome,
        output_shape=trace.rows[0].output_shapes[0] if trace.outcome.ok else None,
        pieces=tuple(_piece(name, child, trace) for name, child in net.named_children()),
        tree=tuple(_row(name, module, trace) for name, module in net.named_modules()),
        failed_at=trace.failed_at,
        total=trace.total_parameters,
        modules=len(paths),
        depth=max(path.count(".") + 1 for path in paths if path),
    )


def _make(piece: Piece) -> nn.Module:
    if piece == Piece.LINEAR:
        return nn.Linear(16, 20)
    return NestMLP() if piece == Piece.NEST_MLP else FixedHiddenMLP()


def _piece(name: str, module: nn.Module, trace: ForwardTrace) -> Piecewise:
    row = trace.at(name)
    return Piecewise(
        name=name,
        type_name=type(module).__name__,
        input_shape=row.input_shapes[0] if row else None,
        output_shape=_output(row),
        parameters=sum(each.numel() for each in module.parameters()),
    )


def _row(path: str, module: nn.Module, trace: ForwardTrace) -> TreeRow:
    shape = _output(trace.at(path))
    calls = max((row.calls for row in trace.rows if row.path == path), default=0)
    used = f" ×{calls}" if calls > 1 else ""
    return TreeRow(
        depth=path.count(".") + 1 if path else 0,
        name=path.rpartition(".")[2] if path else "net",
        type_name=type(module).__name__,
        note=f"{'' if shape is None else shape}{used}",
        is_trouble=path == trace.failed_at,
    )


def _output(row: TraceRow | None) -> tuple[int, ...] | None:
    return row.output_shapes[0] if row and row.output_shapes else None
