"""Records every call of a module in this thread, by replacing ``nn.Module._call_impl``.

Hooks would be given to torch's own machinery: global ones come before a module's own hooks, so they
do not see what those change; a hook on each module does not see modules that a list hides or that
are made in a forward; neither sees a ``KeyboardInterrupt``. A wrapper around the call sees what the
caller passed, what it got back, and whatever was raised, and there is no hook to be removed.

Inputs and outputs are described as plain values; that consumes no random numbers.
"""

import dataclasses
import math
import threading
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from playground.modules.trace_types import Described, Group, Shape

MAX_ITEMS = 64  # of one container; then "…"
MAX_DEPTH = 8  # of containers in containers; also ends a list that holds itself
MAX_LETTERS = 40  # of a text
LEFT_OUT = "…"
PLAIN = (bool, int, float, complex, type(None), torch.dtype, torch.device)
SEQUENCES = (tuple, list, set, frozenset)


def describe(value: Any, tensors: list[torch.Tensor], depth: int = 0) -> Described:
    """Describe one value, and note the tensors in it.

    Args:
        value: Anything; nothing in it is altered or consumed.
        tensors: Receives every tensor, in order.
        depth: In how many containers it lies.
    """
    kind = type(value)
    try:
        if kind is torch.Tensor:
            shape = tuple(value.shape)
            tensors.append(value)
            return shape
        return _describe(value, kind, tensors, depth)
    except Exception:  # noqa: BLE001 - of any class, which may refuse to be looked at in any way
        return f"<{kind.__name__}>"


def _describe(value: Any, kind: type, tensors: list[torch.Tensor], depth: int) -> Described:
    if issubclass(kind, torch.Tensor):
        shape = _shape_of(value)
        if shape is not None:
            tensors.append(value)
            return shape
        return f"<{kind.__name__}>"
    if issubclass(kind, str | bytes):
        return repr(value[:MAX_LETTERS])
    if issubclass(kind, PLAIN):
        return str(value)
    if depth == MAX_DEPTH:
        return LEFT_OUT
    if issubclass(kind, SEQUENCES):
        return _sequence(value, tensors, depth)
    if issubclass(kind, Mapping):
        return _named(value, dict(value.items()), tensors, depth)
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
        fields = {name: getattr(value, name) for name in names if hasattr(value, name)}
        return _named(value, fields, tensors, depth, is_field=True)
    return f"<{kind.__name__}>"


def describe_call(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Group:
    """Describe the inputs of a call."""
    unused: list[torch.Tensor] = []
    if len(args) == 1 and not kwargs:
        return Group("call", (describe(args[0], unused),), ("",))
    items = [describe(value, unused) for value in (*args, *kwargs.values())]
    return Group("call", tuple(items), ("",) * len(args) + tuple(kwargs))


def bytes_of(tensors: list[torch.Tensor]) -> int:
    """Sum the bytes of all elements; views count as if each had memory of its own."""
    return sum(math.prod(_shape_of(each) or (0,)) * each.dtype.itemsize for each in tensors)


def _shape_of(tensor: torch.Tensor) -> Shape | None:
    try:
        return tuple(int(size) for size in tensor.shape)
    except (RuntimeError, TypeError):  # a nested or uninitialised tensor has no single shape
        return None


def _sequence(value: Any, tensors: list[torch.Tensor], depth: int) -> Described:
    kind = type(value)
    names = getattr(kind, "_fields", ())
    if issubclass(kind, tuple) and names and len(names) == len(value):
        return _named(value, dict(zip(names, value, strict=True)), tensors, depth, is_field=True)
    held = list(value)
    items = [describe(each, tensors, depth + 1) for each in held[:MAX_ITEMS]]
    if len(held) > MAX_ITEMS:
        items.append(LEFT_OUT)
    return Group(kind.__name__, tuple(items))


def _named(
    value: Any,
    held: Mapping[Any, Any],
    tensors: list[torch.Tensor],
    depth: int,
    *,
    is_field: bool = False,
) -> Described:
    shown = list(held.items())[:MAX_ITEMS]
    names = [str(key) if is_field else _written(key) for key, _ in shown]
    items = [describe(each, tensors, depth + 1) for _, each in shown]
    if len(held) > MAX_ITEMS:
        names.append(LEFT_OUT)
        items.append(LEFT_OUT)
    return Group(type(value).__name__, tuple(items), tuple(names))


def _written(key: object) -> str:
    is_plain = type(key) in (str, int, bool, float, bytes, type(None))
    return repr(key)[:MAX_LETTERS] if is_plain else f"<{type(key).__name__}>"


class Call:
    """One call of a module, as it was noted.

    Attributes:
        caller: The call around it.
        depth: How many calls are around it.
        output: None until it has returned.
        device: Of what it returned; None where that holds no tensor. So is ``dtype``.
    """

    __slots__ = ("caller", "depth", "device", "dtype", "inputs", "module", "output", "output_bytes")

    def __init__(self, module: nn.Module, caller: "Call | None", inputs: Group) -> None:
        self.module = module
        self.caller = caller
        self.depth: int = 0 if caller is None else caller.depth + 1
        self.inputs = inputs
        self.output: Described | None = None
        self.output_bytes = 0
        self.device: torch.device | None = None
        self.dtype: torch.dtype | None = None

    def returned(self, output: object) -> None:
        """Note what it gave back."""
        tensors: list[torch.Tensor] = []
        self.output = describe(output, tensors)
        if tensors:
            self.device, self.dtype = tensors[0].device, tensors[0].dtype
            self.output_bytes = bytes_of(tensors)


class CallRecorder:
    """Notes calls in the order in which they begin.

    Attributes:
        calls: All of them.
        failed: The innermost call that raised what was raised last.
        failed_inputs: What it was given; to be let go soon.
        innermost: The call that is going on.
        awaited: The module itself, between the note of its call and the call.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.failed: Call | None = None
        self.failed_inputs: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})
        self._error: BaseException | None = None
        self.innermost: Call | None = None
        self.awaited: nn.Module | None = None

    def root(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the module itself, and note it even if its class has its own ``__call__``."""
        call = self.begin(module, args, kwargs)
        self.awaited = module
        outer = getattr(_here, "recorder", None)
        _install()
        _here.recorder = self
        try:
            output = type(module).__call__(module, *args, **kwargs)
            call.returned(output)
        except BaseException as error:
            self.note_failure(call, error, args, kwargs)
            raise
        finally:
            _here.recorder = outer
            _uninstall()
            self.innermost = None
        return output

    def begin(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """Note that a module is called."""
        call = self.innermost = Call(module, self.innermost, describe_call(args, kwargs))
        self.calls.append(call)
        return call

    def forget(self) -> None:
        """Let go of everything that was raised and given."""
        self._error = None
        self.failed_inputs = ((), {})

    def note_failure(
        self, call: Call, error: BaseException, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Note what a call raised, unless it came from a call inside it."""
        is_passed_on = self._error is not None and (
            error is self._error or self._error in (error.__cause__, error.__context__)
        )
        self._error = error
        if is_passed_on and self._is_inside(call):
            return
        self.failed = call
        self.failed_inputs = (args, kwargs)

    def _is_inside(self, outer: Call) -> bool:
        """Return whether the failure known so far happened inside a call."""
        call = self.failed
        while call is not None and call is not outer:
            call = call.caller
        return call is not None


_here = threading.local()
_lock = threading.Lock()
_recorders = 0
_original: Callable[..., Any] = nn.Module._call_impl


def _recording_call_impl(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
    """Note a call; all in one frame, for a module that calls itself has only so many."""
    recorder: CallRecorder | None = getattr(_here, "recorder", None)
    if recorder is None:  # another thread's business, or nobody's
        return _original(self, *args, **kwargs)
    if self is recorder.awaited:  # it is noted already
        recorder.awaited = None
        return _original(self, *args, **kwargs)
    call = recorder.begin(self, args, kwargs)
    try:
        output = _original(self, *args, **kwargs)
        call.returned(output)
    except BaseException as error:
        recorder.note_failure(call, error, args, kwargs)
        raise
    finally:
        recorder.innermost = call.caller
    return output


def _install() -> None:
    global _recorders, _original
    with _lock:
        if not _recorders:
            _original = nn.Module._call_impl
            nn.Module._call_impl = _recording_call_impl  # type: ignore[method-assign]
        _recorders += 1


def _uninstall() -> None:
    global _recorders
    with _lock:
        _recorders -= 1
        if not _recorders:
            nn.Module._call_impl = _original  # type: ignore[method-assign]
