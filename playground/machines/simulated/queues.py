"""The stream queues of a GPU: which calls of a program put work into one, and which wait for one.

The simulated devices compute synchronously, so the order on a real GPU is derived from the calls by
the rules of CUDA. Work of one stream runs in order, concurrently with that of other streams. A copy
to the GPU with ``non_blocking=True`` returns at once from pinned memory, and from pageable memory
after the bytes are copied to a buffer of the driver; without ``non_blocking`` it returns when it is
done. A call that needs a value on the CPU waits for the current stream.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from playground.machines.simulated.storage_device import CPU, device_index, storage_of

CPU_READS = frozenset(("item", "tolist", "numpy", "__bool__", "__float__", "__int__", "__index__"))
ALL_STREAMS = -1


@dataclass(frozen=True, slots=True)
class QueueCall:
    """One call.

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


class _Stream:
    """A second stream of a program."""

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

    def new_stream(self, *_: object, **__: object) -> _Stream:
        self._made += 1
        return _Stream(self, self._made)

    def synchronize(self, *_: object) -> None:
        self.wait("synchronize", ALL_STREAMS)

    @contextmanager
    def stream(self, stream: _Stream) -> Iterator[None]:
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
