"""Measures the size of a network on the meta device, where tensors take no memory."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from playground.errors import InvalidSpecError
from playground.modules.spec.network import InputKind, InputSpec

MAX_PARAMETERS = 50_000_000
MAX_ACTIVATION_BYTES = 512 * 2**20  # of all tensors that one forward makes
MAX_MADE_ELEMENTS = 2 * MAX_PARAMETERS  # buffers, constants and templates are made beside them
MAX_OPERATIONS = 20_000  # of calling it; then there is a very long loop in it
MAX_MADE_OPERATIONS = 10_000  # of making it; each takes a while also without memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of a network.

    Attributes:
        parameters: Elements of all parameters, shared ones once; of lazy layers only after inputs.
        activation_bytes: What all tensors of one forward take together; None without inputs. Where
            the forward fails, up to there.
    """

    parameters: int
    activation_bytes: int | None


def measure(make: Callable[[], nn.Module], inputs: Iterable[InputSpec] | None = None) -> Size:
    """Make a network and call it, both without memory.

    Args:
        make: Makes it, on the default device.
        inputs: What it is called with.

    Raises:
        InvalidSpecError: It is too large.
    """
    with torch.device("meta"), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are shown when it is built
        with Meter(_check_made):
            module = make()
        parameters = check_parameters(module)
        if inputs is None:
            return Size(parameters=parameters, activation_bytes=None)
        meter = Meter(check_activations)
        given = [_empty(one) for one in inputs]
        with meter, Answers(meter):
            _call(module, given)
        return Size(parameters=check_parameters(module), activation_bytes=meter.size_bytes)


def _call(module: nn.Module, inputs: Iterable[Tensor]) -> None:
    on_the_way: list[tuple[str, nn.Module]] = []
    for path, each in module.named_modules():
        entry = (path, each)
        each.register_forward_pre_hook(
            lambda *_, entry=entry: on_the_way.append(entry), prepend=True
        )
        each.register_forward_hook(lambda *_: on_the_way.pop() and None)
    try:
        module(*inputs)
    except InvalidSpecError as error:
        path, culprit = on_the_way[-1]
        raise InvalidSpecError(
            error.key,
            path=path,
            type=type(culprit).__name__,
            given=error.values["given"],
            most=error.values["most"],
        ) from None
    except Exception:  # noqa: BLE001 - what torch refuses here, it refuses in earnest too
        return


def check_parameters(module: nn.Module) -> int:
    """Count the elements of all parameters, shared ones once and those of lazy layers not yet.

    Raises:
        InvalidSpecError: They are too many.
    """
    count = sum(each.numel() for each in module.parameters() if not is_lazy(each))
    if count > MAX_PARAMETERS:
        raise InvalidSpecError("spec_too_many_parameters", given=count, most=MAX_PARAMETERS)
    return count


def _empty(one: InputSpec) -> Tensor:
    return torch.empty(one.shape, dtype=torch.int64 if one.kind is InputKind.TOKENS else None)


class Meter(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch has no types there
    """Counts new tensors and operations, and checks a limit after each operation."""

    def __init__(self, check: "Callable[[Meter], None]") -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.check = check
        self.elements = 0
        self.size_bytes = 0
        self.operations = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # or the first operation would import all of torch's compiler

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.operations += 1
        returned = result if isinstance(result, tuple | list) else (result,)
        for declared, tensor in zip(func._schema.returns, returned, strict=False):
            if (
                isinstance(tensor, Tensor) and declared.alias_info is None
            ):  # neither view nor in place
                self.elements += tensor.numel()
                self.size_bytes += tensor.numel() * tensor.element_size()
        self.check(self)
        return result


def _check_made(meter: Meter) -> None:
    _check_operations(meter, MAX_MADE_OPERATIONS)
    if meter.elements > MAX_MADE_ELEMENTS:
        raise InvalidSpecError(
            "spec_too_many_parameters", given=meter.elements, most=MAX_PARAMETERS
        )


def check_activations(meter: Meter) -> None:
    """Refuse a forward pass that makes too much, or takes too long.

    Raises:
        InvalidSpecError: It does.
    """
    _check_operations(meter, MAX_OPERATIONS)
    if meter.size_bytes > MAX_ACTIVATION_BYTES:
        raise InvalidSpecError(
            "spec_too_large_activations", given=meter.size_bytes, most=MAX_ACTIVATION_BYTES
        )


def _check_operations(meter: Meter, most: int) -> None:
    if meter.operations > most:
        raise InvalidSpecError("spec_too_many_operations", given=meter.operations, most=most)


class Answers(TorchFunctionMode):
    """Lets a forward ask for a number that the meta device does not have; loops end at once.

    Args:
        meter: Of the operations; then of a recurrent layer's steps a few are run, and the others
            are extrapolated. Without one, all are run.
    """

    def __init__(self, meter: Meter | None = None) -> None:
        super().__init__()
        self.meter = meter

    def __torch_function__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func in NUMBERS and args[0].is_meta:
            return NUMBERS[func]
        if func in RECURRENT and len(args) == STEPPED and self.meter is not None:
            return self._recurrent(self.meter, func, *args)
        return func(*args, **(kwargs or {}))

    def _recurrent(self, meter: Meter, func: Any, given: Tensor, *rest: Any) -> tuple[Tensor, ...]:
        """Run a few steps and extrapolate the cost of all of them."""
        along = 1 if rest[-1] else 0  # batch_first
        steps = given.shape[along]
        if steps <= FEW:
            answer: tuple[Tensor, ...] = func(given, *rest)
            return answer
        before = meter.size_bytes, meter.operations
        costs = []
        sizes = list(given.shape)
        for sizes[along] in (FEW - 1, FEW):
            few = given.new_empty(sizes)
            start = meter.size_bytes, meter.operations
            outputs, *states = func(few, *rest)
            costs.append((meter.size_bytes - start[0], meter.operations - start[1]))
        batch, width = outputs.shape[1 - along], outputs.shape[2]
        whole = outputs.new_empty((steps, batch, width)).transpose(0, along)  # as torch has it
        meter.size_bytes, meter.operations = (
            known + _continued(less, more, steps)
            for known, less, more in zip(before, *costs, strict=True)
        )
        meter.check(meter)
        return whole, *states


def _continued(less: int, more: int, steps: int) -> int:
    """Extrapolate the cost of all steps from the cost of ``FEW`` and of one fewer.

    >>> _continued(5, 7, 4)  # 1 at first and 2 for each step
    9
    """
    return more + (steps - FEW) * (more - less)


RECURRENT = (torch.lstm, torch.gru, torch.rnn_tanh, torch.rnn_relu)
FEW = 3  # steps; one alone is not like the others
STEPPED = 9  # arguments, where the input is not packed
NUMBERS: dict[Any, bool | int | float] = {
    Tensor.__bool__: False,
    Tensor.__int__: 1,
    Tensor.__float__: 1.0,
    Tensor.item: 1.0,
}
