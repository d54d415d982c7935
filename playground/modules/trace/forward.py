"""Runs a module once and reports every call; the module is left as it was."""

import dataclasses
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

import torch
from torch import nn

from playground.errors import attempt
from playground.modules.trace.recorder import CallRecorder
from playground.modules.trace.report import report
from playground.modules.trace.restore import CONTAINERS, restored, runs_other_code
from playground.modules.trace.tree import Tree
from playground.modules.trace.unregistered import find_unregistered
from playground.modules.trace_types import ForwardTrace

MAX_INPUTS = 1000  # values looked through for tensors to be put back
FUSING = (nn.MultiheadAttention, nn.TransformerEncoder, nn.TransformerEncoderLayer)


def trace_forward(module: nn.Module, /, *inputs: Any, **keyword_inputs: Any) -> ForwardTrace:
    """Run a module once on some inputs, and report the inputs and outputs of every call.

    It runs in the mode in which it is (``train`` or ``eval``), without gradients. Afterwards it is
    as before: values, buffers, gradients, attributes, hooks, and the generators of random numbers.
    Only uninitialised layers are initialised, as by any first forward, and then their draws stay
    drawn; ``trace_call`` can keep them as they are.

    Args:
        module: Any module.
        inputs: What it is called with.
        keyword_inputs: Likewise, by keyword.

    Returns:
        A row for every call. Where the forward fails, torch's error, and the rows up to it.

    Raises:
        TypeError: ``module`` is no module.

    >>> trace = trace_forward(nn.Sequential(nn.Linear(20, 256), nn.ReLU()), torch.rand(2, 20))
    >>> [(row.path, row.output_shapes, row.total_parameters) for row in trace.rows]
    [('', ((2, 256),), 5376), ('0', ((2, 256),), 5376), ('1', ((2, 256),), 0)]
    >>> trace_forward(nn.Linear(3, 4), torch.rand(2, 5)).suggestion.value
    5
    """
    return trace_call(module, inputs, keyword_inputs)


def trace_call(
    module: nn.Module,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    keep_lazy: bool = False,
    with_grad: bool = False,
) -> ForwardTrace:
    """Trace with options, which here cannot clash with the module's own keywords.

    Args:
        module: Any module.
        args: What it is called with.
        kwargs: Likewise, by keyword.
        keep_lazy: Uninitialised layers are uninitialised again afterwards.
        with_grad: Run with gradients if the caller has them on; else always without.
    """
    if not isinstance(module, nn.Module):
        raise TypeError(f"a trace is made of an nn.Module, not of {type(module).__name__}")
    keywords = dict(kwargs or {})
    tree = Tree(module)
    warnings = find_unregistered(tree)
    given = _alterable_in([*args, *keywords.values()])
    has_other_code = runs_other_code(tree.nodes.values())
    may_fuse = has_other_code or any(
        isinstance(each.module, FUSING) for each in tree.nodes.values()
    )
    recorder = CallRecorder()
    with restored(tree, given, keep_lazy=keep_lazy, has_other_code=has_other_code):
        every_layer = _every_layer() if may_fuse else nullcontext()
        with torch.set_grad_enabled(with_grad and torch.is_grad_enabled()), every_layer:
            _, outcome = attempt(lambda: recorder.root(module, tuple(args), keywords))
        return report(tree, recorder, outcome, warnings)


@contextmanager
def _every_layer() -> Iterator[None]:
    """Within it, no layer is left out: no fused encoder layers, nothing compiled.

    Both are switches of the whole process: of several traces at a time, the first turns them off
    and the last turns them back.
    """
    global _traces
    with _lock:
        if not _traces:
            _switched.enter_context(_not_fused())
            _switched.enter_context(_not_compiled())
        _traces += 1
    try:
        yield
    finally:
        with _lock:
            _traces -= 1
            if not _traces:
                _switched.close()


_lock = threading.Lock()
_traces = 0
_switched = ExitStack()


@contextmanager
def _not_fused() -> Iterator[None]:
    is_fused = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(is_fused)


def _not_compiled() -> AbstractContextManager[object]:
    if "torch._dynamo" not in sys.modules:  # nothing can be compiled; to import it takes seconds
        return nullcontext()
    stance: AbstractContextManager[object] = torch.compiler.set_stance("force_eager")
    return stance


def _alterable_in(values: Iterable[Any]) -> list[Any]:
    """Find the tensors and containers among the inputs, at any depth."""
    found: list[Any] = []
    waiting = list(values)
    seen: set[int] = set()
    while waiting and len(seen) < MAX_INPUTS:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, torch.Tensor):
            found.append(value)
            continue
        if type(value) in CONTAINERS:
            found.append(value)
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list | tuple | deque):
            waiting += value
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            waiting += getattr(value, "__dict__", {}).values()
    return found
