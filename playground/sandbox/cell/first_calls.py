"""Notes with what the modules of a cell are called, so that they can be called so again."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

MOST_MODULES = 32
MOST_ELEMENTS = 200_000  # of a tensor that is kept; of a larger one its shape is
MOST_DEPTH = 4
PLAIN = (bool, int, float, str, type(None), torch.Size, torch.device, torch.dtype)
HOME = "__main__"  # where the classes of a cell say that they are from


class NotKeptError(TypeError):
    """An input that cannot be given again."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """A tensor of which only this is kept."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    def anew(self) -> torch.Tensor:
        """Another one like it."""
        if self.dtype.is_floating_point or self.dtype.is_complex:
            return torch.rand(self.shape, dtype=self.dtype, device=self.device)
        return torch.zeros(self.shape, dtype=self.dtype, device=self.device)


@dataclass(slots=True)
class FirstCall:
    """The first call of a module that returned; the last one where none did.

    Attributes:
        has_returned: It did.
    """

    module: nn.Module
    inputs: tuple[Any, ...]
    keywords: dict[str, Any]
    has_returned: bool = False

    def again(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What it was called with."""
        inputs = tuple(_made(each) for each in self.inputs)
        return inputs, {name: _made(each) for name, each in self.keywords.items()}


class FirstCalls:
    """The notes, by module."""

    def __init__(self) -> None:
        self._calls: dict[int, FirstCall] = {}
        self._depth = 0

    def of(self, module: nn.Module) -> FirstCall | None:
        """How a module was called."""
        return self._calls.get(id(module))

    def of_class(self, kind: type) -> FirstCall | None:
        """How the first instance of a class was called."""
        return next((call for call in self._calls.values() if type(call.module) is kind), None)

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Within it, calls are noted: those of the cell itself, and of the classes in it."""
        original: Callable[..., Any] = nn.Module._call_impl

        def standing_in(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            call = self._begin(module, args, kwargs)
            self._depth += 1
            try:
                output = original(module, *args, **kwargs)
            finally:
                self._depth -= 1
            if call is not None:
                call.has_returned = True
            return output

        nn.Module._call_impl = standing_in  # type: ignore[method-assign, assignment]
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
        if (known and known.has_returned) or (not known and len(self._calls) >= MOST_MODULES):
            return None
        try:
            inputs = tuple(_kept(each) for each in args)
            keywords = {name: _kept(each) for name, each in kwargs.items()}
        except (NotKeptError, RuntimeError):
            return None
        call = self._calls[id(module)] = FirstCall(module, inputs, keywords)
        return call


def _kept(value: Any, depth: int = 0) -> Any:
    if isinstance(value, torch.Tensor):
        if type(value) not in (torch.Tensor, nn.Parameter) or value.is_sparse:
            raise NotKeptError
        if value.numel() > MOST_ELEMENTS:
            return Shaped(tuple(value.shape), value.dtype, value.device)
        return value.detach()
    if isinstance(value, PLAIN):
        return value
    if depth < MOST_DEPTH and type(value) in (tuple, list):
        return type(value)(_kept(each, depth + 1) for each in value)
    if depth < MOST_DEPTH and type(value) is dict:
        return {key: _kept(each, depth + 1) for key, each in value.items()}
    raise NotKeptError


def _made(value: Any) -> Any:
    if isinstance(value, Shaped):
        return value.anew()
    if type(value) in (tuple, list):
        return type(value)(_made(each) for each in value)
    if type(value) is dict:
        return {key: _made(each) for key, each in value.items()}
    return value
