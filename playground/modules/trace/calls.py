"""Notes every call of a module in this thread, by standing in for ``nn.Module._call_impl``.

Hooks would be given to torch's own machinery: global ones come before a module's own hooks, so they
do not see what those change; a hook on each module does not see modules that a list hides or that
are made in a forward; neither sees a ``KeyboardInterrupt``. Standing around the call sees what the
caller passed, what it got back, and whatever was raised, and there is no hook to be removed.
"""

import threading
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from playground.modules.forward_trace import Described, Group
from playground.modules.trace.described import bytes_of, describe, describe_call


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


class Recorder:
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
        _stand_in()
        _here.recorder = self
        try:
            output = type(module).__call__(module, *args, **kwargs)
            call.returned(output)
        except BaseException as error:
            self.note_failure(call, error, args, kwargs)
            raise
        finally:
            _here.recorder = outer
            _step_back()
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
        """Whether the failure known so far happened inside a call."""
        call = self.failed
        while call is not None and call is not outer:
            call = call.caller
        return call is not None


_here = threading.local()
_lock = threading.Lock()
_recorders = 0
_original: Callable[..., Any] = nn.Module._call_impl


def _standing_in(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
    """Note a call; all in one frame, for a module that calls itself has only so many."""
    recorder: Recorder | None = getattr(_here, "recorder", None)
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


def _stand_in() -> None:
    global _recorders, _original
    with _lock:
        if not _recorders:
            _original = nn.Module._call_impl
            nn.Module._call_impl = _standing_in  # type: ignore[method-assign]
        _recorders += 1


def _step_back() -> None:
    global _recorders
    with _lock:
        _recorders -= 1
        if not _recorders:
            nn.Module._call_impl = _original  # type: ignore[method-assign]
