"""Streams and events of simulated GPUs, and the queues that a real GPU would have.

Work is done in the order in which it is queued. That is one of the orders that CUDA allows, so
results are those of a program that waits where it has to. The time between two events is measured:
it is the time of the CPU that computes.

``recording_queues`` derives from a program's calls, by the rules of CUDA, which of them put work
into a queue and which wait for one. Work of one stream runs in order, concurrently with that of
other streams. A copy to the GPU with ``non_blocking=True`` returns at once from pinned memory, and
from pageable memory after the bytes are copied to a buffer of the driver; without ``non_blocking``
it returns when it is done. A call that needs a value on the CPU waits for the current stream.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from playground.machines.simulated.cuda_devices import Device, resolve_index
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import Function, SimulatedHost
from playground.machines.simulated.storages import CPU, device_index, storage_of, torch_device

NOT_TIMED = "Both events must be created with argument 'enable_timing=True'."
NOT_RECORDED = "Both events must be recorded before calculating elapsed time."
CPU_READS = frozenset(("item", "tolist", "numpy", "__bool__", "__float__", "__int__", "__index__"))
ALL_STREAMS = -1


class SimulatedEvent:
    """``torch.cuda.Event``; everything before it is done when it is recorded."""

    def __init__(
        self,
        enable_timing: bool = False,
        blocking: bool = False,  # noqa: ARG002
        interprocess: bool = False,  # noqa: ARG002
        external: bool = False,  # noqa: ARG002
    ) -> None:
        self._is_timed = enable_timing
        self._at: float | None = None

    def record(self, stream: Any = None) -> None:
        """Remember the time."""
        del stream
        self._at = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Return at once: no work is pending."""

    def synchronize(self) -> None:
        """Return at once: no work is pending."""

    def query(self) -> bool:
        return True

    def elapsed_time(self, end_event: "SimulatedEvent") -> float:
        """Return the milliseconds to another event, of the CPU that computes.

        Raises:
            ValueError: An event was not recorded, or does not measure.
        """
        if not (self._is_timed and end_event._is_timed):
            raise ValueError(NOT_TIMED)
        if self._at is None or end_event._at is None:
            raise ValueError(NOT_RECORDED)
        return (end_event._at - self._at) * 1000

    def __repr__(self) -> str:
        return "<torch.cuda.Event simulated>"


class SimulatedStream:
    """A stream of a device.

    Args:
        host: That has the device.
        index: Of the device.
        number: 0 is the default stream; only this one equals others of its device.
    """

    def __init__(self, host: SimulatedHost, index: int, number: int = 0) -> None:
        self.device = torch_device(host.check(index))
        self._number = number

    def synchronize(self) -> None:
        """Return at once: no work is pending."""

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def wait_stream(self, stream: Any) -> None:
        """Return at once: no work is pending."""

    def wait_event(self, event: Any) -> None:
        """Return at once: no work is pending."""

    def record_event(self, event: SimulatedEvent | None = None) -> SimulatedEvent:
        """Record an event, a new one by default."""
        event = SimulatedEvent() if event is None else event
        event.record(self)
        return event

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise not_simulated(f"torch.cuda.Stream.{name}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SimulatedStream) and (other.device, other._number) == (
            self.device,
            self._number,
        )

    def __hash__(self) -> int:
        return hash((self.device, self._number))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} simulated>"


def make_stream(host: SimulatedHost, device: Device = None, priority: int = 0) -> SimulatedStream:
    """Replace ``torch.cuda.Stream``."""
    del priority
    host.initialise()
    host.stream_count += 1
    return SimulatedStream(host, resolve_index(host, device), host.stream_count)


def current_stream(host: SimulatedHost, _: Function, device: Device = None) -> SimulatedStream:
    """Replace ``torch.cuda.current_stream``."""
    index, stream = resolve_index(host, device), host.current_stream
    if isinstance(stream, SimulatedStream) and stream.device.index == index:
        return stream
    return SimulatedStream(host, index)


def default_stream(host: SimulatedHost, _: Function, device: Device = None) -> SimulatedStream:
    """Replace ``torch.cuda.default_stream``."""
    return SimulatedStream(host, resolve_index(host, device))


@contextmanager
def use_stream(host: SimulatedHost, _: Function, stream: SimulatedStream | None) -> Iterator[None]:
    """Replace ``torch.cuda.stream``: enter a stream and its device."""
    if stream is None:
        yield
        return
    outer, host.current_stream = host.current_stream, stream
    index, host.current_index = host.current_index, stream.device.index
    try:
        yield
    finally:
        host.current_stream, host.current_index = outer, index


def set_stream(host: SimulatedHost, _: Function, stream: SimulatedStream | None) -> None:
    """Replace ``torch.cuda.set_stream``."""
    if stream is not None:
        host.current_stream, host.current_index = stream, stream.device.index


@dataclass(frozen=True, slots=True)
class QueueCall:
    """One call of a program, as ``recording_queues`` records it.

    Attributes:
        line: The line of the program.
        name: The name of the function, e.g. ``matmul``.
        stream: The stream of its work; 0 is the default stream.
        is_queued: Whether it puts work into that stream.
        is_copy: Whether this work is a copy.
        is_staged: Whether the CPU copies the bytes into a buffer first.
        waits_for: The stream that Python waits for, or ``ALL_STREAMS``; None if it does not wait.
    """

    line: int
    name: str
    stream: int = 0
    is_queued: bool = True
    is_copy: bool = False
    is_staged: bool = False
    waits_for: int | None = None


class _RecordedStream:
    """A further stream of a recorded program, in place of ``SimulatedStream``."""

    def __init__(self, recorder: "_Recorder", index: int) -> None:
        self._recorder, self.index = recorder, index

    def synchronize(self) -> None:
        self._recorder.wait("synchronize", self.index)


class _Recorder(TorchFunctionMode):
    """Sees each call of torch's Python interface before the simulator does."""

    def __init__(self, file_name: str) -> None:
        super().__init__()
        self.calls: list[QueueCall] = []
        self._file_name = file_name
        self._stream = self._made = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        del types
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        if name != "__get__":
            self._record(name, result, [*args, *kwargs.values()], kwargs)
        return result

    def _record(
        self, name: str, result: object, given: Sequence[object], kwargs: dict[str, Any]
    ) -> None:
        sources = [each for each in given if isinstance(each, Tensor)]
        is_from_gpu = any(_index(each) != CPU for each in sources)
        is_flagged = bool(kwargs.get("non_blocking"))
        if name in CPU_READS:
            if is_from_gpu:
                self._add(name, is_copy=True, waits_for=self._stream)
        elif not isinstance(result, Tensor) or _is_view(name, result, sources):
            return
        elif _index(result) == CPU:
            if is_from_gpu:
                self._add(name, is_copy=True, waits_for=None if is_flagged else self._stream)
        elif sources and not is_from_gpu:
            is_pinned = all(each.is_pinned() for each in sources)
            self._add(
                name,
                is_copy=True,
                is_staged=not is_pinned,
                waits_for=None if is_flagged else self._stream,
            )
        else:
            self._add(name)

    def _add(self, name: str, **kinds: Any) -> None:
        self.calls.append(QueueCall(self._line(), name.strip("_"), self._stream, **kinds))

    def wait(self, name: str, stream: int) -> None:
        self.calls.append(QueueCall(self._line(), name, is_queued=False, waits_for=stream))

    def new_stream(self, *_: object, **__: object) -> _RecordedStream:
        self._made += 1
        return _RecordedStream(self, self._made)

    def synchronize(self, *_: object) -> None:
        self.wait("synchronize", ALL_STREAMS)

    @contextmanager
    def stream(self, stream: _RecordedStream) -> Iterator[None]:
        outer, self._stream = self._stream, stream.index
        try:
            yield
        finally:
            self._stream = outer

    def _line(self) -> int:
        frame = sys._getframe()
        while frame.f_back and frame.f_code.co_filename != self._file_name:
            frame = frame.f_back
        return frame.f_lineno


def _index(tensor: Tensor) -> int:
    with torch._C.DisableTorchFunction():
        return device_index(tensor)


def _is_view(name: str, result: Tensor, sources: Sequence[Tensor]) -> bool:
    """Return whether the result shares memory with an argument, without writing to it."""
    is_written = name.endswith("_") and not name.endswith("__")
    with torch._C.DisableTorchFunction():
        memory = storage_of(result)
        return not is_written and any(storage_of(each) is memory for each in sources)


@contextmanager
def recording_queues(file_name: str) -> Iterator[list[QueueCall]]:
    """Record the calls of a program inside ``simulated_gpus``; it may create further streams.

    ``torch.cuda.Stream`` is replaced for all threads, so only one program may run at a time.

    Args:
        file_name: The file name with which the program was compiled.
    """
    recorder = _Recorder(file_name)
    replacements = {
        "Stream": recorder.new_stream,
        "stream": recorder.stream,
        "synchronize": recorder.synchronize,
    }
    with ExitStack() as stack:
        for name, replacement in replacements.items():
            stack.callback(setattr, torch.cuda, name, getattr(torch.cuda, name))
            setattr(torch.cuda, name, replacement)
        with recorder:
            yield recorder.calls
