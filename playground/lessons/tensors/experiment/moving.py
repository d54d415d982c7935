"""A tensor moves, is converted, and is computed with where it lives."""

import torch

from playground.compute.outcome import Outcome, attempt
from playground.lessons.tensors.experiment.scenes import draw, dtype_name
from playground.lessons.tensors.records import (
    Assignment,
    Computation,
    ComputeOnDevice,
    ComputeOnDeviceReport,
    Meeting,
    MoveAndConvert,
    MoveAndConvertReport,
    MoveMethod,
    MoveTensor,
    MoveTensorReport,
    Scene,
    ToForm,
)
from playground.machines.host import running_on

VALUES = [1.0, 2.0, 3.0]
VALUES_TO_ROUND = [0.1, 1.5, 2.25]  # float16 cannot hold the first, an integer none


def move_tensor(settings: MoveTensor) -> MoveTensorReport:
    """Move a tensor, and say what the names mean afterwards."""
    with running_on(settings.machine):
        x, outcome = attempt(
            lambda: torch.tensor(
                VALUES, device=settings.start, requires_grad=settings.requires_grad
            )
        )
        moved = None
        if x is not None:
            moved, outcome = attempt(lambda: _move(settings, x))
        named = x if moved is None or settings.assignment != Assignment.SAME_NAME else moved
        return MoveTensorReport(
            assignment=settings.assignment,
            x_device=settings.start if named is None else str(named.device),
            moved_device=None if moved is None else str(moved.device),
            is_same_object=None if moved is None else moved is x,
            shares_memory=_shares_memory(x, moved),
            is_leaf=None if moved is None else moved.is_leaf,
            grad_fn=None
            if moved is None or moved.grad_fn is None
            else type(moved.grad_fn).__name__,
            outcome=outcome,
            scene=_scene_of_move(settings, x, moved, outcome),
        )


def _shares_memory(x: torch.Tensor | None, moved: torch.Tensor | None) -> bool | None:
    if x is None or moved is None:
        return None
    return x.device == moved.device and x.data_ptr() == moved.data_ptr()


def _move(settings: MoveTensor, x: torch.Tensor) -> torch.Tensor:
    if settings.method == MoveMethod.TO:
        return x.to(settings.target)
    if settings.method == MoveMethod.CPU:
        return x.cpu()
    if settings.method == MoveMethod.CUDA:
        return x.cuda()
    return x.cuda(int(settings.target.removeprefix("cuda:")))


def _scene_of_move(
    settings: MoveTensor, x: torch.Tensor | None, moved: torch.Tensor | None, outcome: Outcome
) -> Scene:
    """Draw what is still there: a tensor that no name leads to is gone."""
    if x is None:
        return draw(settings.machine, {})
    if moved is None:
        meeting = Meeting(formula=settings.call, inputs=("x",), works=outcome.ok)
        return draw(settings.machine, {"x": x}, meeting)
    is_named = settings.assignment == Assignment.NEW_NAME
    if moved is x:
        label = "x, y" if is_named else "x"
        return draw(settings.machine, {label: x}, Meeting(formula=settings.call, inputs=(label,)))
    if is_named:
        meeting = Meeting(formula=settings.call, inputs=("x",), output="y")
        return draw(settings.machine, {"x": x, "y": moved}, meeting)
    if settings.assignment == Assignment.SAME_NAME:
        meeting = Meeting(formula=settings.call, inputs=(), output="x")
        return draw(settings.machine, {"x": moved}, meeting)
    return draw(settings.machine, {"x": x}, Meeting(formula=settings.call, inputs=("x",)))


def compute_on_device(settings: ComputeOnDevice) -> ComputeOnDeviceReport:
    """Compute something from one tensor, and look where the result is."""
    with running_on(settings.machine):
        x, outcome = attempt(lambda: torch.tensor(VALUES, device=settings.device))
        y: torch.Tensor | float | None = None
        if x is not None:
            y, outcome = attempt(lambda: _compute(settings.computation, x))
        tensors = {"x": x} if x is not None else {}
        if isinstance(y, torch.Tensor):
            tensors["y"] = y
        output = "y" if "y" in tensors else ""
        meeting = Meeting(
            formula=settings.computation.formula, inputs=("x",), output=output, works=outcome.ok
        )
        return ComputeOnDeviceReport(
            computation=settings.computation,
            x_device=None if x is None else str(x.device),
            y_device=str(y.device) if isinstance(y, torch.Tensor) else None,
            value=None if y is None else str(y.tolist() if isinstance(y, torch.Tensor) else y),
            outcome=outcome,
            scene=draw(settings.machine, tensors, meeting if x is not None else None),
        )


def _compute(computation: Computation, x: torch.Tensor) -> torch.Tensor | float:
    if computation == Computation.POWER:
        return x**2
    if computation == Computation.COMPARE:
        return x > 1
    return x.sum() if computation == Computation.SUM else x.sum().item()


def move_and_convert(settings: MoveAndConvert) -> MoveAndConvertReport:
    """Call ``.to`` once, and compare the tensor before and after."""
    dtype = getattr(torch, settings.dtype)
    with running_on(settings.machine):
        x, outcome = attempt(lambda: torch.tensor(VALUES_TO_ROUND, device=settings.device))
        other, y = None, None
        if x is not None and settings.form == ToForm.OTHER:
            other, outcome = attempt(lambda: torch.zeros(1, dtype=dtype, device=settings.target))
        if x is not None and outcome.ok:
            y, outcome = attempt(lambda: _to(settings, x, other))
        named = (("x, y" if y is x else "x", x), ("other", other), ("y", None if y is x else y))
        tensors = {name: each for name, each in named if each is not None}
        inputs = tuple(name for name in ("x", "x, y", "other") if name in tensors)
        output = "y" if "y" in tensors else ""
        meeting = Meeting(formula=settings.call, inputs=inputs, output=output, works=outcome.ok)
        return MoveAndConvertReport(
            x_device=None if x is None else str(x.device),
            x_dtype="float32" if x is None else dtype_name(x),
            y_device=None if y is None else str(y.device),
            y_dtype=None if y is None else dtype_name(y),
            y_values=None if y is None else str(y.tolist()),
            is_same_object=None if y is None else y is x,
            outcome=outcome,
            scene=draw(settings.machine, tensors, meeting if tensors else None),
        )


def _to(settings: MoveAndConvert, x: torch.Tensor, other: torch.Tensor | None) -> torch.Tensor:
    dtype = getattr(torch, settings.dtype)
    if other is not None:
        return x.to(other)
    if settings.form == ToForm.DEVICE_AND_DTYPE:
        return x.to(settings.target, dtype)
    return x.to(settings.target) if settings.form == ToForm.DEVICE_ONLY else x.to(dtype)
