"""Two tensors meet in an operation: on one device, or on two, or after a remedy."""

import re
from collections.abc import Mapping

import torch

from playground.compute.outcome import attempt
from playground.lessons.tensors.experiment.scenes import draw, total_bytes
from playground.lessons.tensors.records import (
    AddAcrossDevices,
    AddAcrossDevicesReport,
    FixAcrossDevices,
    FixAcrossDevicesReport,
    Meeting,
    Operation,
    Scene,
    ZeroDim,
)
from playground.machines import DeviceName
from playground.machines.host import running_on

NAMED_ARGUMENT = re.compile(r"but got (\w+) is on ")
Operands = dict[str, torch.Tensor]  # by their names in the program


def add_across_devices(settings: AddAcrossDevices) -> AddAcrossDevicesReport:
    """Let X and Y meet; where torch refuses, move Y to X and let them meet again.

    Shape:
        X, Y: (2, 2), or () where ``zero_dim`` says so; the indices of INDEXING: (2,).
    """
    with running_on(settings.machine):
        operands, outcome = attempt(
            lambda: _make(settings.left, settings.right, settings.operation, settings.zero_dim)
        )
        result, fixed, fixed_outcome = None, None, None
        if operands is not None:
            result, outcome = attempt(lambda: _operate(settings.operation, operands))
            if not outcome.ok:
                fixed, fixed_outcome = attempt(
                    lambda: _operate(settings.operation, _moved(operands, settings.moves))
                )
        named = NAMED_ARGUMENT.search(outcome.message)
        return AddAcrossDevicesReport(
            left=settings.left,
            right=settings.right,
            operation=settings.operation,
            outcome=outcome,
            result_device=None if result is None else str(result.device),
            result_values=None if result is None else str(result.tolist()),
            named_argument=named[1] if named else None,
            fixed_outcome=fixed_outcome,
            fixed_device=None if fixed is None else str(fixed.device),
            scene=_scene(settings, operands or {}, {}, result),
        )


def fix_across_devices(settings: FixAcrossDevices) -> FixAcrossDevicesReport:
    """Let X and Y meet as they are, then after the remedy, and count what was copied."""
    with running_on(settings.machine):
        operands, before = attempt(
            lambda: _make(settings.left, settings.right, settings.operation, ZeroDim.NEITHER)
        )
        after, result = before, None
        moved: Operands | None = None
        if operands is not None:
            _, before = attempt(lambda: _operate(settings.operation, operands))
            moved, after = attempt(lambda: _moved(operands, settings.moves))
        if moved is not None:
            result, after = attempt(lambda: _operate(settings.operation, moved))
        copies = _copies(operands or {}, moved or {})
        return FixAcrossDevicesReport(
            left=settings.left,
            right=settings.right,
            before=before,
            outcome=after,
            result_device=None if result is None else str(result.device),
            result_values=None if result is None else str(result.tolist()),
            moved=tuple(copies),
            copied_bytes=total_bytes(copies.values()),
            scene=_scene(settings, operands or {}, copies, result),
        )


def _make(left: DeviceName, right: DeviceName, operation: Operation, zero_dim: ZeroDim) -> Operands:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], device=left)
    if zero_dim == ZeroDim.LEFT:
        x = torch.tensor(3.0, device=left)
    y = torch.tensor([[10.0, 20.0], [30.0, 40.0]], device=right)
    if zero_dim == ZeroDim.RIGHT:
        y = torch.tensor(10.0, device=right)
    if operation == Operation.INDEXING:
        y = torch.tensor([1, 0], device=right)
    if operation == Operation.LINEAR:
        return {"X": x, "Y": y, "b": torch.tensor([100.0, 200.0], device=right)}
    return {"X": x, "Y": y}


def _operate(operation: Operation, operands: Operands) -> torch.Tensor:
    x, y = operands["X"], operands["Y"]
    match operation:
        case Operation.ADD:
            return x + y
        case Operation.MATMUL:
            return x @ y
        case Operation.LINEAR:
            return torch.nn.functional.linear(x, y, operands["b"])
        case Operation.CAT:
            return torch.cat([x, y])
        case Operation.WHERE:
            return torch.where(x > 2, x, y)
        case Operation.INDEXING:
            return x[y]


def _moved(operands: Operands, moves: Mapping[str, DeviceName]) -> Operands:
    """Move what is to be moved; what is already there stays the same object."""
    return {
        name: tensor.to(moves[name]) if name in moves else tensor
        for name, tensor in operands.items()
    }


def _copies(before: Operands, after: Operands) -> Operands:
    return {name: tensor for name, tensor in after.items() if tensor is not before[name]}


def _scene(
    settings: AddAcrossDevices | FixAcrossDevices,
    operands: Operands,
    copies: Operands,
    result: torch.Tensor | None,
) -> Scene:
    """Draw originals, copies (with a prime) and the result; the copies are what meets."""
    names = {name: f"{name}′" for name in copies}
    tensors = operands | {names[name]: tensor for name, tensor in copies.items()}
    if result is not None:
        tensors["Z"] = result
    meeting = Meeting(
        formula=settings.operation.written(names),
        inputs=tuple(names.get(name, name) for name in operands),
        output="" if result is None else "Z",
        works=result is not None,
    )
    return draw(settings.machine, tensors, meeting if operands else None)
