"""Memory that a cell asks for without filling it: it reads zeros, and large blocks are lazy.

``torch.empty`` and all else that would show uninitialised memory gives zeros.

The memory limit of a run counts all that could be written. ``torch.empty`` of more than a run may
take therefore lies in memory without access, as Linux itself commits memory lazily. The first
operation that uses it has the kernel count it, or meets the refusal that torch gave in the first
place.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy
import torch
from torch import Tensor, nn
from torch._C import DisableTorchFunction
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

from playground.machines.simulated import storages
from playground.machines.simulated.dispatch_mode import traits_of

COMPUTER_BYTES = (  # Linux commits no more in one piece; other systems are not asked to
    os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if sys.platform == "linux" else 0
)
# methods that read the memory itself, past the dispatch mode
_BARE = ("numpy", "tolist", "__dlpack__", "__reduce_ex__", "__repr__")
_run: "_Run | None" = None
BASE: Any = torch.Tensor.__base__


class _Run(ExitStack):
    """A run, and the patches that are entered at its first lazy tensor."""

    is_looking = False

    def look(self) -> None:
        """Observe each operation from now on."""
        if not self.is_looking:
            self.is_looking = True
            self.enter_context(LazyMemoryMode())  # type: ignore[no-untyped-call]
            for name in _BARE:
                self.enter_context(_committed_by(name))


@contextmanager
def lazy_allocation() -> Iterator[None]:
    """Let ``allocate_lazily`` work inside of the ``with`` block."""
    global _run
    with _Run() as run:
        outer, _run = _run, run
        try:
            yield
        finally:
            _run = outer


def allocate_lazily(refusal: RuntimeError, on_meta: Callable[[], Tensor]) -> Tensor:
    """Make a tensor that the CPU had no memory for; its memory is committed when it is used.

    Args:
        refusal: What torch raised when it was asked for.
        on_meta: Makes the same one on the device ``meta``.

    Raises:
        RuntimeError: The refusal: it is another one, or the computer has not so much memory.
    """
    if _run is None or "DefaultCPUAllocator" not in str(refusal):
        raise refusal
    plan = on_meta()
    made = None
    if plan.untyped_storage().nbytes() <= COMPUTER_BYTES:
        with DisableTorchFunction():
            made = storages.uncommitted_like(plan, str(refusal))
    if made is None:
        raise refusal
    _run.look()
    return made.requires_grad_(plan.requires_grad)


class LazyMemoryMode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Commits the lazy memory that an operation uses, before it runs."""

    def __torch_dispatch__(
        self,
        operation: OpOverload,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        del types
        kwargs = kwargs or {}
        if traits_of(operation).uses:
            with DisableTorchFunction():
                zeros = storages.commit_arguments(operation, args, kwargs)
            if zeros is not None:
                return zeros
        return operation(*args, **kwargs)


@contextmanager
def _committed_by(name: str) -> Iterator[None]:
    """Let a method of ``Tensor`` commit the memory first, for all tensors of this process."""
    original = getattr(Tensor, name)

    def committing(tensor: Tensor, *args: Any, **options: Any) -> Any:
        with DisableTorchFunction():
            storages.commit_tensor(tensor)
        return original(tensor, *args, **options)

    own = vars(Tensor).get(name)
    setattr(Tensor, name, committing)
    try:
        yield
    finally:
        if own is None:
            delattr(Tensor, name)
        else:
            setattr(Tensor, name, own)


def empty(*args: Any, pin_memory: bool = False, **options: Any) -> torch.Tensor:
    """``torch.empty``, filled with zeros.

    A tensor too large for the device is refused by ``torch.empty`` itself, in its words. On the
    CPU, one too large for the run is allocated lazily.
    """
    try:
        made = torch.empty(*args, pin_memory=pin_memory, **options)
    except RuntimeError as refusal:
        if pin_memory or "out" in options:
            raise
        made = allocate_lazily(refusal, lambda: torch.empty(*args, **{**options, "device": "meta"}))
    with torch.no_grad():
        return made.zero_()


def empty_like(other: torch.Tensor, **options: Any) -> torch.Tensor:
    """``torch.empty_like``, filled with zeros."""
    try:
        made = torch.empty_like(other, **options)
    except RuntimeError as refusal:
        made = allocate_lazily(
            refusal, lambda: torch.empty_like(other, **{**options, "device": "meta"})
        )
    with torch.no_grad():
        return made.zero_()


def empty_array(shape: Any, dtype: Any = float, order: Any = "C") -> Any:
    """``numpy.empty``, filled with zeros."""
    return numpy.zeros(shape, dtype, order)


def empty_array_like(
    other: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None
) -> Any:
    """``numpy.empty_like``, filled with zeros."""
    return numpy.zeros_like(other, dtype, order, subok, shape)


def fill_with_zeros() -> None:
    """Patch ``torch.Tensor(2, 3)`` and ``Module.to_empty`` in this process to give zeros.

    ``isinstance`` and ``type(x) == torch.Tensor`` need the real classes, so there is no proxy.
    """
    torch.Tensor.__new__ = _new  # type: ignore[method-assign, assignment]
    nn.Module.to_empty = _to_empty  # type: ignore[method-assign, assignment]


def _new(kind: type, *args: Any, **options: Any) -> Any:
    made = BASE.__new__(kind, *args, **options)
    if type(made) is torch.Tensor and are_sizes(args):
        return made.zero_()
    return made


def _to_empty(module: Any, *, device: Any, recurse: bool = True) -> Any:
    return module._apply(lambda each: _zeros_like(each, device), recurse=recurse)


def _zeros_like(tensor: torch.Tensor, device: Any) -> torch.Tensor:
    with torch.no_grad():
        return torch.empty_like(tensor, device=device).zero_()


def are_sizes(args: tuple[Any, ...]) -> bool:
    """Return whether the arguments of a legacy constructor are sizes, not values."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], torch.Size) else args
    return bool(sizes) and all(isinstance(each, int) for each in sizes)
