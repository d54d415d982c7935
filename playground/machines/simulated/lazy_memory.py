"""The memory of results: its size, asked in advance, and memory that is committed on first use.

``torch.empty`` on a GPU of 8 GiB works on any host, since nothing is written yet. Where this
computer cannot allocate as much, the tensor is placed in a mapping without access, which Linux does
not charge. The first operation that reads or writes the tensor commits the memory or is refused. So
does code that reads it without an operation (``tolist``, an index into its storage).
"""

import ctypes
import math
import mmap
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from playground.machines.simulated.host import Arguments, Options, SimulatedHost, not_simulated

ATTRIBUTE = "_uncommitted"
NO_ACCESS, READ_AND_WRITE = 0, 3  # PROT_NONE, PROT_READ | PROT_WRITE
aten = torch.ops.aten
LARGE = 2**16  # elements; smaller operations run before their size is known


def result_bytes(operation: OpOverload, args: Arguments, kwargs: Options) -> int:
    """Return the size of the results: a factory names it, other operations run on ``meta``."""
    shape = args[0] if args else None
    if isinstance(shape, list) and (not shape or type(shape[0]) is int):
        dtype = kwargs.get("dtype") or torch.get_default_dtype()
        return math.prod(shape) * dtype.itemsize
    try:
        shapes = operation(*on_meta(args), **on_meta(kwargs))
    except (RuntimeError, NotImplementedError, IndexError, ValueError, TypeError):
        return 0  # the operation itself will raise the error
    return _bytes(shapes)


def growth(args: Arguments) -> int:
    """Bound the growth from arguments to results by the integer arguments (sizes, paddings)."""
    factor = 1
    for value in args:
        if type(value) is int:
            factor *= max(value, 1)
        elif type(value) is list:
            for part in value:
                if type(part) is int and part > 1:
                    factor *= part
    return factor


def on_meta(value: Any) -> Any:
    """Convert an argument of an operation to ``meta``, where nothing is computed."""
    if isinstance(value, Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
    if isinstance(value, list | tuple):
        return [on_meta(part) for part in value]
    if isinstance(value, dict):
        return {name: on_meta(part) for name, part in value.items()}
    return torch.device("meta") if isinstance(value, torch.device) else value


def _bytes(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.nbytes
    return sum(map(_bytes, value)) if isinstance(value, list | tuple) else 0


def allocate_uncommitted(
    host: SimulatedHost, operation: OpOverload, args: Arguments, kwargs: Options
) -> Tensor | None:
    """Create the result of a factory for which this computer has no memory.

    Args:
        host: The host of the device.
        operation: A factory that returns uninitialised memory or zeros.
        args: Its arguments.
        kwargs: Likewise.

    Returns:
        None where the system has no such mappings.
    """
    meta = operation(*on_meta(args), **{**on_meta(kwargs), "device": torch.device("meta")})
    result = uncommitted_like(meta)
    host.has_uncommitted = host.has_uncommitted or result is not None
    return result


def uncommitted_like(meta: Tensor, refusal: str = "") -> Tensor | None:
    """Create a tensor like one on ``meta``, in memory without access until it is committed.

    Args:
        meta: The tensor to be created.
        refusal: The message of the RuntimeError if it cannot be committed; without it,
            NotSimulatedError is raised.

    Returns:
        None where the system has no such mappings.
    """
    if sys.platform != "linux":
        return None
    try:
        memory = mmap.mmap(
            -1,
            meta.untyped_storage().nbytes(),
            flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
            prot=NO_ACCESS,
        )
    except (OSError, ValueError, OverflowError):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the buffer is not writable yet
        tensor = torch.frombuffer(memory, dtype=meta.dtype).as_strided(meta.shape, meta.stride())
    setattr(tensor.untyped_storage(), ATTRIBUTE, refusal)
    return tensor


def commit_arguments(operation: OpOverload, args: Arguments, kwargs: Options) -> Tensor | None:
    """Commit the memory of an operation's arguments.

    Returns:
        The operation's result where nothing is to be done: uncommitted memory is zero already.

    Raises:
        NotSimulatedError: This computer has not enough memory.
        RuntimeError: The same, for memory that torch's own allocator refused.
    """
    if operation is aten.zero_.default and is_uncommitted(args[0]):
        zeros: Tensor = args[0]
        return zeros
    for tensor in _tensors((*args, *kwargs.values())):
        commit_tensor(tensor)
    return None


def commit_tensor(tensor: Tensor) -> None:
    """Commit a tensor's memory if it is uncommitted; call it with torch functions disabled.

    Raises:
        NotSimulatedError, RuntimeError: As ``commit_arguments``.
    """
    if is_uncommitted(tensor):
        commit_storage(tensor.untyped_storage())


def is_uncommitted(tensor: Tensor) -> bool:
    """Return whether a tensor's memory is not committed; call it with torch functions disabled."""
    try:
        return hasattr(tensor.untyped_storage(), ATTRIBUTE)
    except (NotImplementedError, RuntimeError):
        return False  # a sparse tensor, or one inside grad or vmap, has no storage of its own


def commit_storage(storage: torch.UntypedStorage) -> None:
    """Commit the memory of a storage, which is then ordinary memory.

    Raises:
        NotSimulatedError, RuntimeError: As ``commit_arguments``; the memory stays uncommitted.
    """
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if libc.mprotect(storage.data_ptr(), storage.nbytes(), READ_AND_WRITE) == 0:
        delattr(storage, ATTRIBUTE)
        return
    if refusal := getattr(storage, ATTRIBUTE):
        raise RuntimeError(refusal)
    missing = MemoryError(storage.nbytes())
    raise not_simulated("a tensor larger than this computer's free memory") from missing


def _tensors(values: Sequence[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)
