"""Traces the forward of a class with stand-ins that know example values, and so their sizes.

``torch.fx`` runs a forward once and records its calls. Here each call is also made with example
inputs: what asks for a size gets a number, so that a loop over positions and arithmetic with sizes
are no part of the graph.
"""

import inspect
import operator
from collections.abc import Iterable, Mapping
from types import FrameType
from typing import Any

import torch
from torch import Tensor, fx, nn

from playground.errors import InvalidSpecError
from playground.modules.build.assemble import draw_inputs
from playground.modules.spec.network import InputSpec

COUNTS = ("dim", "ndimension", "numel")  # methods whose answer depends on no value,
KNOWN = ("ndim", "dtype", "device")  # and attributes
EXAMPLE, LINE = "example", "line"  # of a node: its value, and the line of forward that calls it


class BatchSize(int):
    """The first size of a tensor, which another batch changes."""


class StandIn(fx.Proxy):  # type: ignore[misc]  # mypy skips torch.fx
    """Stands for a value in forward.

    Attributes:
        example: The value for the example inputs; None where it is not known.
    """

    example: Any = None

    def __getattr__(self, name: str) -> Any:
        if name == "shape" and (self.example is None or isinstance(self.example, Tensor)):
            return self.tracer.sizes(self.example)
        if name in KNOWN and isinstance(self.example, Tensor):
            return getattr(self.example, name)
        return super().__getattr__(name)

    def __len__(self) -> int:
        if isinstance(self.example, Tensor | tuple | list):
            return len(self.example)
        return int(super().__len__())


class ForwardTracer(fx.Tracer):  # type: ignore[misc]  # mypy skips torch.fx
    """Traces one forward, and looks into no other module.

    Args:
        examples: What forward is called with, by the names of its arguments.
        batch: The first size of all tensors whose value is not known.
    """

    def __init__(self, examples: Mapping[str, Any], batch: int = 1) -> None:
        super().__init__()
        self.examples, self.batch = examples, batch
        self.is_example = False  # a call is made with values, and not recorded

    def call_module(self, m: nn.Module, forward: Any, args: Any, kwargs: Any) -> Any:
        if self.is_example:
            return forward(*args, **kwargs)
        return super().call_module(m, forward, args, kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        if self.is_example:
            return attr_val
        return super().getattr(attr, attr_val, parameter_proxy_cache)

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        del m, module_qualified_name
        return True

    def path_of_module(self, mod: nn.Module) -> str:
        """Return the path of a module that is called.

        Raises:
            InvalidSpecError: It is in no attribute, so torch does not know its parameters.
        """
        try:
            return str(super().path_of_module(mod))
        except NameError:
            kind = type(mod).__name__
            raise InvalidSpecError(
                "spec_unregistered", type=kind, text=kind, line=self._line()
            ) from None

    def proxy(self, node: fx.Node) -> StandIn:
        return StandIn(node, self)

    def create_proxy(
        self, kind: str, target: Any, args: Any, kwargs: Any, *more: Any, **others: Any
    ) -> Any:
        """Return a stand-in for what a call returns, or the value itself where it has no tensor."""
        if kind == "placeholder":
            example = self.examples.get(target.lstrip("*"), args[0] if args else None)
            if args and not _has_tensor(example):
                return example  # an argument that nobody gives has its default
        else:
            example = self._called(kind, target, args, kwargs)
        if kind == "call_method" and target == "size" and _has_shape(args[0]):
            known = self.sizes(args[0].example)
            asked = (*args[1:], *kwargs.values())
            return known[asked[0]] if asked else known
        if kind == "call_method" and target in COUNTS and example is not None:
            return example
        made = super().create_proxy(kind, target, args, kwargs, *more, **others)
        made.example = made.node.meta[EXAMPLE] = example
        made.node.meta[LINE] = self._line()
        return made

    def _called(self, kind: str, target: Any, args: Any, kwargs: Any) -> Any:
        """Make a call with example values; return None where one is not known, or it fails."""
        try:
            given, named = fx.node.map_aggregate((args, kwargs), _example)
            self.is_example = True
            with torch.no_grad():
                match kind:
                    case "get_attr":
                        return operator.attrgetter(target)(self.root)
                    case "call_module":
                        return self.root.get_submodule(target)(*given, **named)
                    case "call_function":
                        return target(*given, **named)
                    case "call_method":
                        return getattr(given[0], target)(*given[1:], **named)
        except Exception:  # noqa: BLE001 - a student's network may fail in any way
            return None
        finally:
            self.is_example = False
        return None

    def sizes(self, tensor: Tensor | None) -> tuple[int, ...]:
        """Return the shape of a tensor; of one whose value is not known, the size of the batch."""
        shape = (self.batch,) if tensor is None else tensor.shape
        return tuple(n if place else BatchSize(n) for place, n in enumerate(shape))

    def _line(self) -> int:
        """Return the line of forward that is executed; 0 outside of it."""
        frame = inspect.currentframe()
        while frame is not None and not self._is_forward(frame):
            frame = frame.f_back
        return frame.f_lineno if frame else 0

    def line_of(self, error: BaseException) -> int:
        """Return the line of forward at which an error was raised; 0 outside of it."""
        trail = error.__traceback__
        found = 0
        while trail is not None:
            found = trail.tb_lineno if self._is_forward(trail.tb_frame) else found
            trail = trail.tb_next
        return found

    def _is_forward(self, frame: FrameType) -> bool:
        own = getattr(type(self.root).forward, "__code__", None)
        code = frame.f_code
        return own is not None and (code.co_filename, code.co_firstlineno) == (
            own.co_filename,
            own.co_firstlineno,
        )


class _NotKnownError(Exception):
    """The value of a stand-in is not known."""


def _example(value: Any) -> Any:
    if not isinstance(value, fx.Proxy):
        return value
    if isinstance(value, StandIn) and value.example is not None:
        return value.example
    raise _NotKnownError


def _has_shape(value: Any) -> bool:
    return isinstance(value, StandIn) and (
        value.example is None or isinstance(value.example, Tensor)
    )


def _has_tensor(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_has_tensor, value))
    return isinstance(value, Tensor)


def first_calls(module: nn.Module, inputs: Iterable[InputSpec]) -> dict[nn.Module, dict[str, Any]]:
    """Run a module once, and return what each module in it is first called with, by name.

    Where it fails, the modules that were not reached are left out.
    """
    found: dict[nn.Module, dict[str, Any]] = {}

    def note(called: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        bound = inspect.signature(called.forward).bind(*args, **kwargs)
        found.setdefault(called, dict(bound.arguments))

    handles = [each.register_forward_pre_hook(note, with_kwargs=True) for each in module.modules()]
    try:
        with torch.no_grad():
            module(*draw_inputs(inputs))
    except Exception:  # noqa: BLE001 - a student's network may fail in any way
        return found
    finally:
        for handle in handles:
            handle.remove()
    return found
