"""Which calls of a program put work into a queue of a GPU, and which wait for a queue.

The simulated devices compute at once, so the order of a real GPU is derived from the calls by the
rules of CUDA: work of one stream runs in order, beside that of other streams; a copy to the GPU
from pinned memory with ``non_blocking=True`` returns at once, from pageable memory after the bytes
have been copied to a buffer of the driver, without ``non_blocking`` when it is done; what needs a
value on the CPU waits for the current stream.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from playground.machines.simulated.tag import CPU, index_of, storage_of

READS = frozenset(("item", "tolist", "numpy", "__bool__", "__float__", "__int__", "__index__"))
EVERY = -1  # the device with all its streams


@dataclass(frozen=True, slots=True)
class QueueCall:
    """One call.

    Attributes:
        line: Of the program.
        name: Of the function, e.g. ``matmul``.
        stream: Where its work is queued: 0 for the default stream.
        is_queued: It puts work into that queue.
        is_copy: This work is a copy.
        is_staged: Python itself copies the bytes into a buffer first.
        waits_for: The stream that Python waits for, ``EVERY`` for all; None where it goes on.
    """

    line: int
    name: str
    stream: int = 0
    is_queued: bool = True
    is_copy: bool = False
    is_staged: bool = False
    waits_for: int | None = None


class _Stream:
    """A further stream, as a program sees it."""

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
        if name in READS:
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
        self.wait("synchronize", EVERY)

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
        return index_of(tensor)


def _is_view(name: str, result: Tensor, sources: Sequence[Tensor]) -> bool:
    """Whether nothing is computed: the memory is that of an argument, and not written to."""
    is_written = name.endswith("_") and not name.endswith("__")
    with torch._C.DisableTorchFunction():
        memory = storage_of(result)
        return not is_written and any(storage_of(each) is memory for each in sources)


@contextmanager
def recording_queues(file_name: str) -> Iterator[list[QueueCall]]:
    """Inside ``simulated_gpus``, record the calls of a program; it may make further streams.

    Streams are given to every thread meanwhile: only where one program runs at a time.

    Args:
        file_name: What the program was compiled with.
    """
    recorder = _Recorder(file_name)
    stand_ins = {
        "Stream": recorder.new_stream,
        "stream": recorder.stream,
        "synchronize": recorder.synchronize,
    }
    with ExitStack() as stack:
        for name, stand_in in stand_ins.items():
            stack.callback(setattr, torch.cuda, name, getattr(torch.cuda, name))
            setattr(torch.cuda, name, stand_in)
        with recorder:
            yield recorder.calls
