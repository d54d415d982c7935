"""Check of a module's gradients against finite differences, on a copy in float64.

For each parameter one random direction: autograd's derivative along it, and the central difference
of the output. A wrong entry anywhere in the gradient shows there almost surely, with two forwards.
"""

import contextlib
import copy
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from playground.machines.simulated import outside_simulation
from playground.sandbox.cell.namespace import seed
from playground.sandbox.module_report import GradientVerdict, Missing

STEP = 1e-6
RELATIVE = 1e-4
ABSOLUTE = 1e-7  # times the size of the output
MAX_PARAMETERS = 500_000  # values, which are copied
SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for one parameter."""

    verdict: GradientVerdict
    gradient: float | None = None
    difference: float | None = None


class CannotCheckError(Exception):
    """Gradients cannot be checked; ``args[0]`` says why."""


def check_gradients(
    module: nn.Module, inputs: tuple[Any, ...], keywords: dict[str, Any], names: Sequence[str]
) -> dict[str, Checked]:
    """Compare gradients.

    Args:
        module: Any; it is not changed.
        inputs: What it is called with.
        keywords: Likewise, by keyword.
        names: The parameters to check, by their names in ``named_parameters()``.

    Raises:
        CannotCheckError: The module cannot be copied, run in float64, or repeated.
    """
    if any(map(is_lazy, module.parameters())):
        raise CannotCheckError(Missing.LAZY)
    if sum(each.numel() for each in module.parameters()) > MAX_PARAMETERS:
        raise CannotCheckError(Missing.TOO_LARGE)
    with _in_float64():
        try:
            with outside_simulation():
                return _Check(module, inputs, keywords).of(names)
        except CannotCheckError:
            raise
        except Exception:  # noqa: BLE001 - what its forward does may need a simulated GPU
            return _checked_inside(module, inputs, keywords, names)


def _checked_inside(
    module: nn.Module, inputs: tuple[Any, ...], keywords: dict[str, Any], names: Sequence[str]
) -> dict[str, Checked]:
    try:
        return _Check(module, inputs, keywords).of(names)
    except CannotCheckError:
        raise
    except Exception as error:
        raise CannotCheckError(Missing.FAILED) from error


class _Check:
    """A copy in float64, called again and again with the same random numbers."""

    def __init__(
        self, module: nn.Module, inputs: tuple[Any, ...], keywords: dict[str, Any]
    ) -> None:
        self._copy = _wholly_doubled(copy.deepcopy(module))
        self._inputs = tuple(_doubled(each) for each in inputs)
        self._keywords = {name: _doubled(each) for name, each in keywords.items()}
        self._weights: list[torch.Tensor] = []

    def of(self, names: Sequence[str]) -> dict[str, Checked]:
        began = time.process_time()
        parameters = dict(self._copy.named_parameters())
        trainable = [name for name in names if parameters[name].requires_grad]
        with torch.enable_grad():
            output = self._output()
        with torch.no_grad():
            if not torch.equal(output.detach(), self._output()):
                raise CannotCheckError(Missing.RANDOM)
        scale = 1.0 + abs(float(output.detach()))
        found: Sequence[torch.Tensor | None] = [None] * len(trainable)
        if output.requires_grad and trainable:
            wanted = [parameters[name] for name in trainable]
            found = torch.autograd.grad(output, wanted, allow_unused=True)
        gradients = dict(zip(trainable, found, strict=True))
        checked = {}
        for name in names:
            if name not in gradients:
                checked[name] = Checked(GradientVerdict.FROZEN)
            elif time.process_time() - began > SECONDS:
                checked[name] = Checked(GradientVerdict.NOT_CHECKED)
            else:
                checked[name] = self._compared(parameters[name], gradients[name], scale)
        return checked

    def _compared(
        self, parameter: nn.Parameter, gradient: torch.Tensor | None, scale: float
    ) -> Checked:
        chance = torch.Generator().manual_seed(0)
        signs = torch.randint(2, parameter.shape, generator=chance, device="cpu") * 2 - 1
        direction = signs.double().to(parameter.device)
        kept = parameter.detach().clone()
        outputs = []
        with torch.no_grad():
            for step in (STEP, -STEP):
                parameter.data.copy_(kept + step * direction)
                outputs.append(float(self._output()))
            parameter.data.copy_(kept)
        difference = (outputs[0] - outputs[1]) / (2 * STEP)
        along = 0.0 if gradient is None else float((gradient.detach() * direction).sum())
        is_still = abs(difference) <= ABSOLUTE * scale
        if gradient is None:
            verdict = GradientVerdict.UNUSED if is_still else GradientVerdict.CUT
        elif is_still and not bool(gradient.detach().any()):
            verdict = GradientVerdict.ZERO
        else:
            tolerance = ABSOLUTE * scale + RELATIVE * max(abs(along), abs(difference))
            is_close = abs(along - difference) <= tolerance
            verdict = GradientVerdict.MATCHES if is_close else GradientVerdict.DIFFERS
        return Checked(verdict, None if gradient is None else along, difference)

    def _output(self) -> torch.Tensor:
        """Run a forward and sum its output with random weights."""
        seed(0)
        tensors = list(_floats(self._copy(*self._inputs, **self._keywords)))
        if not tensors:
            raise CannotCheckError(Missing.FAILED)
        if not self._weights:
            chance = torch.Generator().manual_seed(1)
            self._weights = [
                torch.rand(each.shape, generator=chance, dtype=torch.float64, device="cpu").to(
                    each.device
                )
                for each in tensors
            ]
        weighted = [
            (each * weight).sum() for each, weight in zip(tensors, self._weights, strict=True)
        ]
        total = weighted[0]
        for each in weighted[1:]:
            total = total + each.to(total.device)
        return total


@contextlib.contextmanager
def _in_float64() -> Iterator[None]:
    """Make float64 the default dtype; restore dtype and random numbers afterwards."""
    kind, state = torch.get_default_dtype(), torch.get_rng_state()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(kind)
        torch.set_rng_state(state)


def _wholly_doubled(module: nn.Module) -> nn.Module:
    """Convert to float64, unregistered tensors and layers in attributes included."""
    for each in nn.Module.modules(module):  # not the student's own
        for name, value in list(vars(each).items()):
            if isinstance(value, torch.Tensor):
                setattr(each, name, _doubled(value))
            elif type(value) in (list, tuple, dict):
                for one in value.values() if type(value) is dict else value:
                    if isinstance(one, nn.Module):
                        one.double()
    return module.double()


def _doubled(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        value = value.detach()
        return value.double() if value.is_floating_point() else value
    if type(value) in (tuple, list):
        return type(value)(_doubled(each) for each in value)
    if type(value) is dict:
        return {key: _doubled(each) for key, each in value.items()}
    return value


def _floats(output: Any) -> Iterator[torch.Tensor]:
    if isinstance(output, torch.Tensor):
        if output.is_floating_point():
            yield output
    elif isinstance(output, tuple | list):
        for each in output:
            yield from _floats(each)
    elif isinstance(output, dict):
        yield from _floats(list(output.values()))
