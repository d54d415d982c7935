"""Memory of a simulated GPU that this computer has not: promised, and taken when it is used.

``torch.empty`` on a GPU of 8 GiB works on any host, for nothing is written yet. Where the host
would not give so much, its tensor lies in a mapping without access, for which Linux charges
nothing. The first operation that reads or writes it has the host charge for it, or is refused. So
does what reads it past all operations (``tolist``, an index into its storage).
"""

import ctypes
import mmap
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from playground.machines.simulated.host import SimulatedHost, refuse
from playground.machines.simulated.size import on_meta

ATTRIBUTE = "_promised"
NO_ACCESS, READ_AND_WRITE = 0, 3  # PROT_NONE, PROT_READ | PROT_WRITE
aten = torch.ops.aten


def promised(
    host: SimulatedHost, operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]
) -> Tensor | None:
    """Make the tensor that a factory asks for and the host has no memory for.

    Args:
        host: Of the device.
        operation: Asks for memory, and fills it with nothing or with zeros.
        args: Of the operation.
        kwargs: Likewise.

    Returns:
        None where there are no such mappings.
    """
    plan = operation(*on_meta(args), **{**on_meta(kwargs), "device": torch.device("meta")})
    made = reserved(plan)
    host.has_promised = host.has_promised or made is not None
    return made


def reserved(plan: Tensor, refusal: str = "") -> Tensor | None:
    """Make a tensor like one on meta, in memory that is out of reach until it is taken.

    Args:
        plan: What is to be made.
        refusal: What torch says of it where the host has no room; without it, a simulator does.

    Returns:
        None where there are no such mappings.
    """
    if sys.platform != "linux":
        return None
    try:
        memory = mmap.mmap(
            -1,
            plan.untyped_storage().nbytes(),
            flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
            prot=NO_ACCESS,
        )
    except (OSError, ValueError, OverflowError):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it cannot be written yet
        made = torch.frombuffer(memory, dtype=plan.dtype).as_strided(plan.shape, plan.stride())
    setattr(made.untyped_storage(), ATTRIBUTE, refusal)
    return made


def keep(operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]) -> Tensor | None:
    """Take the memory of promised tensors, before an operation uses it.

    Returns:
        The operation's result where there is nothing to do: promised memory is full of zeros.

    Raises:
        NotSimulatedError: This computer has no room for it.
        RuntimeError: The same, of memory that torch itself was to give.
    """
    if operation is aten.zero_.default and is_promised(args[0]):
        zeros: Tensor = args[0]
        return zeros
    for tensor in _tensors((*args, *kwargs.values())):
        use(tensor)
    return None


def use(tensor: Tensor) -> None:
    """Take a tensor's memory where it is only promised; with torch functions disabled.

    Raises:
        NotSimulatedError, RuntimeError: As ``keep`` does.
    """
    if is_promised(tensor):
        take(tensor.untyped_storage())


def is_promised(tensor: Tensor) -> bool:
    """Whether the host has not given a tensor's memory yet; with torch functions disabled."""
    try:
        return hasattr(tensor.untyped_storage(), ATTRIBUTE)
    except (NotImplementedError, RuntimeError):
        return False  # a sparse tensor, or one within grad or vmap: it has no storage of its own


def take(storage: torch.UntypedStorage) -> None:
    """Have the host charge for promised memory, which then is memory like any other.

    Raises:
        NotSimulatedError, RuntimeError: As ``keep`` does; it stays promised.
    """
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if libc.mprotect(storage.data_ptr(), storage.nbytes(), READ_AND_WRITE) == 0:
        delattr(storage, ATTRIBUTE)
        return
    if refusal := getattr(storage, ATTRIBUTE):
        raise RuntimeError(refusal)
    missing = MemoryError(storage.nbytes())
    raise refuse("a tensor larger than this computer's free memory") from missing


def _tensors(values: Sequence[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)
