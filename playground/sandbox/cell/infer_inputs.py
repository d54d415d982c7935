"""Inputs to trace a module with: those of its first call in the cell, else inferred ones.

Inferred inputs are tensors of the cell, then tensors that fit the first layer.
"""

import contextlib
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from playground.sandbox.module_report import InputOrigin

MAX_MODULES = 32
MAX_RECORDED_ELEMENTS = 200_000  # of a recorded tensor; of a larger one only the shape is recorded
MAX_DEPTH = 4
PLAIN = (bool, int, float, str, type(None), torch.Size, torch.device, torch.dtype)
HOME = "__main__"  # where the classes of a cell say that they are from
BATCH = 2
STEPS = 5  # of a sequence
SOME = 8  # where any size would do
MAX_LAYERS = 50  # that are searched
SIDES = (28, 32, 8, 64, 224)  # of a picture
MAX_VARIABLES = 3
MAX_VARIABLE_ELEMENTS = 100_000  # of a variable that is tried
LIKELY = ("X", "x", "inputs", "input", "batch", "data", "tokens")

Size = tuple[tuple[int, ...], int | None]  # and a bound, where it holds whole numbers
Guess = tuple[InputOrigin, tuple[Any, ...]]


class NotRecordedError(TypeError):
    """An input that cannot be recorded."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """A large tensor, recorded by shape only."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    def make(self) -> torch.Tensor:
        """Make a tensor like it."""
        if self.dtype.is_floating_point or self.dtype.is_complex:
            return torch.rand(self.shape, dtype=self.dtype, device=self.device)
        return torch.zeros(self.shape, dtype=self.dtype, device=self.device)


@dataclass(slots=True)
class FirstCall:
    """The first call of a module that returned; the last one if none did.

    Attributes:
        has_returned: It did.
    """

    module: nn.Module
    inputs: tuple[Any, ...]
    keywords: dict[str, Any]
    has_returned: bool = False

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return its positional and keyword arguments."""
        inputs = tuple(_restored(each) for each in self.inputs)
        return inputs, {name: _restored(each) for name, each in self.keywords.items()}


class FirstCalls:
    """Records the first call of each module."""

    def __init__(self) -> None:
        self._calls: dict[int, FirstCall] = {}
        self._depth = 0

    def of(self, module: nn.Module) -> FirstCall | None:
        """Return the recorded call of a module."""
        return self._calls.get(id(module))

    def of_class(self, kind: type) -> FirstCall | None:
        """Return the recorded call of the first instance of a class."""
        return next((call for call in self._calls.values() if type(call.module) is kind), None)

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record calls inside of the block: by the cell itself, and of classes defined in it."""
        original: Callable[..., Any] = nn.Module._call_impl

        def recorded(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            call = self._begin(module, args, kwargs)
            self._depth += 1
            try:
                output = original(module, *args, **kwargs)
            finally:
                self._depth -= 1
            if call is not None:
                call.has_returned = True
            return output

        nn.Module._call_impl = recorded  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            nn.Module._call_impl = original  # type: ignore[method-assign]

    def _begin(
        self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> FirstCall | None:
        if self._depth and type(module).__module__ != HOME:
            return None
        known = self._calls.get(id(module))
        if (known and known.has_returned) or (not known and len(self._calls) >= MAX_MODULES):
            return None
        try:
            inputs = tuple(_recorded(each) for each in args)
            keywords = {name: _recorded(each) for name, each in kwargs.items()}
        except (NotRecordedError, RuntimeError):
            return None
        call = self._calls[id(module)] = FirstCall(module, inputs, keywords)
        return call


def _recorded(value: Any, depth: int = 0) -> Any:
    if isinstance(value, torch.Tensor):
        if type(value) not in (torch.Tensor, nn.Parameter) or value.is_sparse:
            raise NotRecordedError
        if value.numel() > MAX_RECORDED_ELEMENTS:
            return Shaped(tuple(value.shape), value.dtype, value.device)
        return value.detach()
    if isinstance(value, PLAIN):
        return value
    if depth < MAX_DEPTH and type(value) in (tuple, list):
        return type(value)(_recorded(each, depth + 1) for each in value)
    if depth < MAX_DEPTH and type(value) is dict:
        return {key: _recorded(each, depth + 1) for key, each in value.items()}
    raise NotRecordedError


def _restored(value: Any) -> Any:
    if isinstance(value, Shaped):
        return value.make()
    if type(value) in (tuple, list):
        return type(value)(_restored(each) for each in value)
    if type(value) is dict:
        return {key: _restored(each) for key, each in value.items()}
    return value


def infer_inputs(module: nn.Module, names: Mapping[str, Any]) -> Iterator[Guess]:
    """Yield inputs for a module, the likeliest first.

    Args:
        module: The module.
        names: What the cell has bound.
    """
    count = _inputs_of(module)
    if count is None:
        return
    if count == 0:
        yield InputOrigin.GUESSED, ()
        return
    for tensor in _variables(names):
        yield InputOrigin.VARIABLE, (tensor,) * count
    seed = torch.Generator().manual_seed(0)
    for shape, bound in _shapes(module):
        if bound is None:
            made = torch.rand(shape, generator=seed, device="cpu")
        else:
            made = torch.randint(max(1, bound), shape, generator=seed, device="cpu")
        yield InputOrigin.GUESSED, (_like_parameters(made, module),) * count


def _inputs_of(module: nn.Module) -> int | None:
    """Return how many inputs its forward needs; None if that is unknown."""
    try:
        parameters = inspect.signature(module.forward).parameters.values()
    except (ValueError, TypeError):
        return None
    if any(each.kind is each.KEYWORD_ONLY and each.default is each.empty for each in parameters):
        return None
    needed = [
        each
        for each in parameters
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        and each.default is each.empty
    ]
    takes_any = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    return len(needed) or int(takes_any or bool(list(parameters)))


def _variables(names: Mapping[str, Any]) -> list[torch.Tensor]:
    tensors = {
        name: value
        for name, value in names.items()
        if type(value) is torch.Tensor
        and 0 < value.numel() <= MAX_VARIABLE_ELEMENTS
        and value.dim()
    }
    ordered = [*(name for name in LIKELY if name in tensors), *tensors]
    return [tensors[name].detach() for name in dict.fromkeys(ordered)][:MAX_VARIABLES]


def _shapes(module: nn.Module) -> Iterator[Size]:
    """Yield shapes that fit the first known layer, else the first parameter."""
    for layer in itertools.islice(module.modules(), MAX_LAYERS):
        for kinds, sizes in INPUT_SIZES:
            if isinstance(layer, kinds):
                yield from sizes(layer)
                return
    for parameter in module.parameters():
        if parameter.dim():
            for size in dict.fromkeys((parameter.shape[0], parameter.shape[-1])):
                yield (BATCH, size), None
            return
    yield (BATCH, 4), None


def _of_linear(layer: Any) -> list[Size]:
    size = layer.in_features or SOME
    return [((BATCH, size), None), ((BATCH, STEPS, size), None)]


def _of_convolution(layer: Any) -> list[Size]:
    channels, dimensions = layer.in_channels or 1, len(layer.kernel_size)
    return [((BATCH, channels, *(side,) * dimensions), None) for side in SIDES]


def _of_batch_norm(layer: Any) -> list[Size]:
    size = layer.num_features or SOME
    return [((BATCH, size), None), ((BATCH, size, SOME, SOME), None)]


INPUT_SIZES: tuple[tuple[tuple[type, ...], Callable[[Any], list[Size]]], ...] = (
    (
        (nn.Embedding, nn.EmbeddingBag),
        lambda layer: [((BATCH, STEPS), layer.num_embeddings)],
    ),
    ((nn.Linear,), _of_linear),
    ((nn.RNNBase,), lambda layer: [((BATCH, STEPS, layer.input_size), None)]),
    ((nn.modules.conv._ConvNd,), _of_convolution),
    ((nn.modules.batchnorm._BatchNorm,), _of_batch_norm),
    ((nn.LayerNorm,), lambda layer: [((BATCH, *layer.normalized_shape), None)]),
    (
        (nn.TransformerEncoderLayer,),
        lambda layer: [((BATCH, STEPS, layer.self_attn.embed_dim), None)],
    ),
)


def _like_parameters(tensor: torch.Tensor, module: nn.Module) -> torch.Tensor:
    """Move a tensor to the device and dtype of the module."""
    parameter = next(iter(module.parameters()), None)
    if parameter is None:
        return tensor
    is_plain = tensor.is_floating_point() and parameter.is_floating_point()
    return tensor.to(parameter.device, parameter.dtype if is_plain else tensor.dtype)
