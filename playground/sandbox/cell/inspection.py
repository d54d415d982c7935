"""Inspection of the modules that a cell has made: traces, parameters, gradient checks."""

import dataclasses
import functools
import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from torch import nn
from torch.nn.parameter import is_lazy

from playground.modules.trace import trace_call
from playground.modules.trace_types import Described, ForwardTrace, Group, TraceRow
from playground.sandbox.cell.gradients import CannotCheckError, Checked, check_gradients
from playground.sandbox.cell.infer_inputs import HOME, FirstCalls, infer_inputs
from playground.sandbox.module_report import (
    GradientVerdict,
    InputOrigin,
    Missing,
    ModuleReport,
    ParameterRow,
)
from playground.sandbox.text import cut

MAX_INSIDE = 500  # modules inside of one that is inspected
MAX_TRIES = 8  # of inputs
MAX_GROUPS = 3  # of containers in containers, in the described call
LEFT_OUT = "…"

Inputs = tuple[InputOrigin, tuple[Any, ...], dict[str, Any]]


def has_modules(names: Mapping[str, Any]) -> bool:
    """Return whether a cell has bound a module or a class of modules; runs none of its code."""
    return any(
        issubclass(value if isinstance(value, type) else type(value), nn.Module)
        for value in names.values()
    )


def inspect_modules(
    names: Mapping[str, Any], calls: FirstCalls, deadline: float
) -> tuple[ModuleReport, ...]:
    """Report the modules of a cell.

    Args:
        names: What the cell has bound.
        calls: What the cell has called.
        deadline: In seconds of ``time.process_time``; modules after it are only named.

    Returns:
        At most ``MAX_MODULES``, bound ones first. If the inspection of one fails, the others are
        reported.
    """
    reports: list[ModuleReport] = []
    for name, kind, make in _candidates(names, calls):
        if len(reports) == ModuleReport.MAX_MODULES:
            break
        report = functools.partial(ModuleReport, name=name, type_name=kind.__name__)
        if time.process_time() > deadline:
            reports.append(report(missing=Missing.OUT_OF_TIME))
            continue
        try:
            module = make()
        except TypeError:  # __init__ takes arguments
            reports.append(report(missing=Missing.NEEDS_ARGUMENTS))
            continue
        except Exception:  # noqa: BLE001 - the student's own class, which may raise anything
            reports.append(report(missing=Missing.FAILED))
            continue
        try:
            reports.append(_inspect(name, module, names, calls, deadline))
        except Exception:  # noqa: BLE001 - likewise
            reports.append(report(missing=Missing.FAILED))
    return tuple(reports)


def _candidates(
    names: Mapping[str, Any], calls: FirstCalls
) -> Iterator[tuple[str, type, Callable[[], nn.Module]]]:
    """Yield name, class, and how to get the module: bound ones, then classes without one."""
    bound: dict[int, tuple[str, nn.Module]] = {}
    for name, value in names.items():
        if isinstance(value, nn.Module) and not name.startswith("_"):
            bound.setdefault(id(value), (name, value))
    inside: dict[int, nn.Module] = {}
    for _, module in bound.values():
        inside.update((id(each), each) for each in module.modules() if each is not module)
    shown = set()
    for name, module in bound.values():
        is_own = type(module).__module__ == HOME
        if is_own or (id(module) not in inside and _holds_something(module)):
            shown.add(type(module))
            yield name, type(module), functools.partial(_identity, module)
    for name, kind in names.items():
        is_class = isinstance(kind, type) and issubclass(kind, nn.Module)
        if not is_class or kind.__module__ != HOME or kind in shown:
            continue
        call = calls.of_class(kind)
        held = call.module if call else _first(kind, inside)
        yield name, kind, kind if held is None else functools.partial(_identity, held)


def _identity(module: nn.Module) -> nn.Module:
    return module


def _first(kind: type, modules: dict[int, nn.Module]) -> nn.Module | None:
    return next((each for each in modules.values() if type(each) is kind), None)


def _holds_something(module: nn.Module) -> bool:
    return next(iter(module.children()), None) is not None or bool(module._parameters)


def _inspect(
    name: str, module: nn.Module, names: Mapping[str, Any], calls: FirstCalls, deadline: float
) -> ModuleReport:
    listed = list(module.named_parameters())
    inside = itertools.islice(nn.Module.modules(module), MAX_INSIDE + 1)  # not the student's own
    if sum(1 for _ in inside) > MAX_INSIDE:
        return ModuleReport(
            name=name,
            type_name=type(module).__name__,
            total_parameters=sum(each.numel() for _, each in listed if not is_lazy(each)),
            parameters_left_out=len(listed),
            missing=Missing.TOO_LARGE,
        )
    trace, inputs = _traced(module, names, calls)
    shown = listed[: ModuleReport.MAX_PARAMETERS]
    checked: dict[str, Checked] = {}
    gradient_missing = None
    if trace is None or inputs is None or not trace.outcome.ok:
        gradient_missing = Missing.NEEDS_INPUT if shown else None
    elif time.process_time() > deadline:
        gradient_missing = Missing.OUT_OF_TIME
    else:
        try:
            checked = check_gradients(module, inputs[1], inputs[2], [each for each, _ in shown])
        except CannotCheckError as error:
            gradient_missing = error.args[0]
        if any(each.verdict is GradientVerdict.NOT_CHECKED for each in checked.values()):
            gradient_missing = Missing.OUT_OF_TIME
    return ModuleReport(
        name=name,
        type_name=type(module).__name__,
        text=cut(str(module), ModuleReport.MAX_CHARACTERS),
        total_parameters=trace.total_parameters if trace else 0,
        parameters=tuple(_row(each, tensor, checked) for each, tensor in shown),
        parameters_left_out=len(listed) - len(shown),
        trace=trace and _within_bounds(trace),
        rows_left_out=max(0, len(trace.rows) - ModuleReport.MAX_ROWS) if trace else 0,
        input_origin=inputs[0] if inputs else None,
        missing=None if trace else Missing.NEEDS_INPUT,
        gradient_missing=gradient_missing,
    )


def _traced(
    module: nn.Module, names: Mapping[str, Any], calls: FirstCalls
) -> tuple[ForwardTrace | None, Inputs | None]:
    """Trace with the inputs of the first call, or with the first inferred ones that work."""
    call = calls.of(module)
    if call is not None:
        inputs, keywords = call.arguments()
        return trace_call(module, inputs, keywords), (InputOrigin.CALLED, inputs, keywords)
    first: tuple[ForwardTrace | None, Inputs | None] = (None, None)
    for tried, (origin, given) in enumerate(infer_inputs(module, names)):
        if tried == MAX_TRIES:
            break
        trace = trace_call(module, given, keep_lazy=True)
        found: tuple[ForwardTrace, Inputs] = (trace, (origin, given, {}))
        if trace.outcome.ok:
            return found
        first = first if first[0] else found
    return first


def _row(name: str, parameter: nn.Parameter, checked: Mapping[str, Checked]) -> ParameterRow:
    lazy = isinstance(parameter, nn.parameter.UninitializedParameter)
    row = ParameterRow(
        name=name,
        shape=() if lazy else tuple(parameter.shape),
        dtype=str(parameter.dtype).removeprefix("torch."),
        device=str(parameter.device),
    )
    found = checked.get(name)
    if found is None:
        return row
    return dataclasses.replace(
        row,
        verdict=found.verdict,
        gradient=_finite(found.gradient),
        difference=_finite(found.difference),
    )


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _within_bounds(trace: ForwardTrace) -> ForwardTrace:
    return dataclasses.replace(
        trace,
        rows=tuple(map(_shallow, trace.rows[: ModuleReport.MAX_ROWS])),
        tie_groups=trace.tie_groups[: ModuleReport.MAX_LISTED],
        warnings=trace.warnings[: ModuleReport.MAX_LISTED],
        uncalled=trace.uncalled[: ModuleReport.MAX_LISTED],
    )


def _shallow(row: TraceRow) -> TraceRow:
    inputs = _flattened(row.inputs, 0)
    output = None if row.output is None else _flattened(row.output, 0)
    path = cut(row.path, ModuleReport.MAX_PATH)
    return dataclasses.replace(row, path=path, inputs=inputs, output=output)


def _flattened(value: Described, depth: int) -> Any:
    """Replace deeply nested containers of a described value."""
    if not isinstance(value, Group):
        return value
    if depth == MAX_GROUPS:
        return LEFT_OUT
    items = tuple(_flattened(each, depth + 1) for each in value.items[: ModuleReport.MAX_LISTED])
    return Group(value.type_name, items, value.names[: ModuleReport.MAX_LISTED])
