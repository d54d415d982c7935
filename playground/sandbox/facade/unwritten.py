"""Memory of the CPU that a cell asks for and never writes: promised, as Linux itself promises it.

What bounds the memory of a run counts all that could be written. ``torch.empty`` of more than a run
may take therefore lies in memory without access. The first operation that uses it has the kernel
count it, or meets the refusal that torch gave in the first place.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from torch import Tensor
from torch._C import DisableTorchFunction
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

from playground.machines.simulated import promises
from playground.machines.simulated.operations import plan_of

COMPUTER_BYTES = (  # Linux promises no more in one piece; other systems are not asked to
    os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if sys.platform == "linux" else 0
)
# methods that reach for the memory itself, or look at it past what looks at each operation
_BARE = ("numpy", "tolist", "__dlpack__", "__reduce_ex__", "__repr__")
_run: "_Run | None" = None


class _Run(ExitStack):
    """A run, and what is entered at its first promise."""

    is_looking = False

    def look(self) -> None:
        """From now on, look at each operation."""
        if not self.is_looking:
            self.is_looking = True
            self.enter_context(Unwritten())  # type: ignore[no-untyped-call]
            for name in _BARE:
                self.enter_context(_taken_by(name))


@contextmanager
def promising() -> Iterator[None]:
    """Inside, ``promised`` promises, and what it has promised is kept."""
    global _run
    with _Run() as run:
        outer, _run = _run, run
        try:
            yield
        finally:
            _run = outer


def promised(refusal: RuntimeError, on_meta: Callable[[], Tensor]) -> Tensor:
    """Make a tensor that the CPU had no memory for.

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
            made = promises.reserved(plan, str(refusal))
    if made is None:
        raise refusal
    _run.look()
    return made.requires_grad_(plan.requires_grad)


class Unwritten(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Takes the promised memory that an operation uses, before it does."""

    def __torch_dispatch__(
        self,
        operation: OpOverload,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Take the memory; zeros stay a promise."""
        del types
        kwargs = kwargs or {}
        if plan_of(operation).uses:
            with DisableTorchFunction():
                zeros = promises.keep(operation, args, kwargs)
            if zeros is not None:
                return zeros
        return operation(*args, **kwargs)


@contextmanager
def _taken_by(name: str) -> Iterator[None]:
    """Let a method of tensors take the memory first; inside, for all tensors of this process."""
    original = getattr(Tensor, name)

    def taking(tensor: Tensor, *args: Any, **options: Any) -> Any:
        with DisableTorchFunction():
            promises.use(tensor)
        return original(tensor, *args, **options)

    own = vars(Tensor).get(name)
    setattr(Tensor, name, taking)
    try:
        yield
    finally:
        if own is None:
            delattr(Tensor, name)
        else:
            setattr(Tensor, name, own)
