"""Streams and events of simulated GPUs, whose work is done in the order in which it is queued.

That is one of the orders that CUDA allows, so results are those of a program that waits where it
has to. The time between two events is measured: it is the time of the CPU that computes.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from playground.machines.simulated.cuda_devices import Device, resolve_index
from playground.machines.simulated.host import Function, SimulatedHost, not_simulated
from playground.machines.simulated.storage_device import torch_device

NOT_TIMED = "Both events must be created with argument 'enable_timing=True'."
NOT_RECORDED = "Both events must be recorded before calculating elapsed time."


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
